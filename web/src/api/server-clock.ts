/** Answers take a while and the header counts whole seconds: less than this says nothing. */
const tellingMs = 2 * 60_000;

let ahead = 0;

/** Every answer says what time it is at the server. */
export function noteServerTime(header: string | null): void {
  const time = header === null ? Number.NaN : Date.parse(header);
  if (!Number.isNaN(time)) ahead = time - Date.now();
}

/** By how many milliseconds the server's clock is ahead of a device's that is set wrong; 0: it is right. */
export function clockError(): number {
  return Math.abs(ahead) > tellingMs ? ahead : 0;
}
