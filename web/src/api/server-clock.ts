/** Latency and the header's resolution of a second make smaller differences meaningless. */
const toleranceMs = 2 * 60_000;

/** A moment by the device's clock, which can be changed, and by a monotonic clock. */
export interface Moment {
  wall: number;
  steady: number;
}

export const thisMoment = (): Moment => ({ wall: Date.now(), steady: performance.now() });

/** Whether the clock was not changed since then and the device did not sleep. */
export function ranEvenlySince(then: Moment): boolean {
  const now = thisMoment();
  return Math.abs(now.wall - then.wall - (now.steady - then.steady)) < toleranceMs;
}

let offsetMs = 0;
let measuredAt: Moment | null = null;

/** Every response has the server's time in a header. */
export function noteServerTime(header: string | null): void {
  const time = header === null ? Number.NaN : Date.parse(header);
  if (Number.isNaN(time)) return;
  measuredAt = thisMoment();
  offsetMs = time - measuredAt.wall;
}

/**
 * The server's time minus the device's, in milliseconds; 0 if the device's clock is right, null if
 * there was no response since the clock was last changed. With a tolerance of 0, it is as measured.
 */
export function clockError(tolerance = toleranceMs): number | null {
  if (!measuredAt || !ranEvenlySince(measuredAt)) return null;
  return Math.abs(offsetMs) > tolerance ? offsetMs : 0;
}
