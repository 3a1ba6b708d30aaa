/** Answers take a while and the header counts whole seconds: less than this says nothing. */
const tellingMs = 2 * 60_000;

/** One moment on this device: by its clock, which may be set anew, and by one that only runs. */
export interface Moment {
  wall: number;
  running: number;
}

export const thisMoment = (): Moment => ({ wall: Date.now(), running: performance.now() });

/** Whether the clock has run evenly since: nobody has set it, and the device has not slept. */
export function ranEvenlySince(then: Moment): boolean {
  const now = thisMoment();
  return Math.abs(now.wall - then.wall - (now.running - then.running)) < tellingMs;
}

let ahead = 0;
let heard: Moment | null = null;

/** Every answer says what time it is at the server. */
export function noteServerTime(header: string | null): void {
  const time = header === null ? Number.NaN : Date.parse(header);
  if (Number.isNaN(time)) return;
  heard = thisMoment();
  ahead = time - heard.wall;
}

/**
 * By how many milliseconds the server's clock is ahead of a device's that is set wrong; 0: it is
 * right, null: nobody knows, for want of an answer since it was last set.
 */
export function clockError(): number | null {
  if (!heard || !ranEvenlySince(heard)) return null;
  return Math.abs(ahead) > tellingMs ? ahead : 0;
}
