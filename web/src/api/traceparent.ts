const hex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * A W3C trace context for one call, so that all work for it can be found by one id. The client
 * records nothing, as its last part states; the servers decide for themselves.
 */
export function traceparent(): string {
  const random = crypto.getRandomValues(new Uint8Array(24));
  // Neither id may be zero.
  const bytes = random.map((byte, index) => (index === 0 || index === 16 ? byte | 1 : byte));
  return `00-${hex(bytes.subarray(0, 16))}-${hex(bytes.subarray(16))}-00`;
}
