const hex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * A W3C trace context for one call, so that everything done for it can be found by one id. Nothing
 * is recorded here, which the last part says; whether the servers do is theirs to decide.
 */
export function traceparent(): string {
  const random = crypto.getRandomValues(new Uint8Array(24));
  // Neither id may be zero.
  const bytes = random.map((byte, index) => (index === 0 || index === 16 ? byte | 1 : byte));
  return `00-${hex(bytes.subarray(0, 16))}-${hex(bytes.subarray(16))}-00`;
}
