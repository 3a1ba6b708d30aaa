/**
 * A random UUID (version 4). `randomUUID` exists only on https and localhost, but an on-premises
 * server may use plain http.
 */
export function randomId(): string {
  if ("randomUUID" in crypto) return crypto.randomUUID();
  return formatUuid(globalThis.crypto.getRandomValues(new Uint8Array(16)));
}

/** Sets the version and variant bits of 16 random bytes and writes them in groups. */
export function formatUuid(bytes: Uint8Array): string {
  const marked = bytes.map((byte, index) =>
    index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte,
  );
  const hex = Array.from(marked, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}
