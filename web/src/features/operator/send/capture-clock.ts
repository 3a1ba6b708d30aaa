import { clockError, ranEvenlySince, thisMoment, type Moment } from "#/api/server-clock";
import { randomId } from "#/shared/random-id";
import type { OutboxEntry } from "./outbox-entry";

/** When entries were made on this page, by a name that means nothing to any other page. */
const moments = new Map<string, Moment>();

/** What is known of the device's clock in the moment of a capture. */
export function clockAtCapture(): Pick<OutboxEntry, "clockError" | "clockMoment"> {
  const known = clockError();
  if (known !== null) return { clockError: known };
  const name = randomId();
  moments.set(name, thisMoment());
  return { clockError: null, clockMoment: name };
}

/**
 * A device whose clock was set wrong when the meter was read: it was read at the server's time, once
 * for all. What the clock shows by the time of sending says nothing of that, unless it has only run
 * on since.
 */
export function atTrueTime(entry: OutboxEntry): Partial<OutboxEntry> | null {
  if (entry.clockChecked) return null;
  const error = entry.clockError ?? errorSince(entry.clockMoment);
  const time = new Date(entry.capturedAt).getTime();
  if (error === null || error === 0 || Number.isNaN(time)) return null;
  return { clockChecked: true, capturedAt: new Date(time + error).toISOString() };
}

/** Whether an answer of the server would show if the clock was wrong when the meter was read. */
export function needsServerTime(entry: OutboxEntry): boolean {
  return (
    !entry.clockChecked &&
    entry.clockError == null &&
    hasRunEvenlySince(entry.clockMoment) &&
    clockError() === null
  );
}

function errorSince(name: string | undefined): number | null {
  return hasRunEvenlySince(name) ? clockError() : null;
}

function hasRunEvenlySince(name: string | undefined): boolean {
  const moment = name === undefined ? undefined : moments.get(name);
  return moment !== undefined && ranEvenlySince(moment);
}
