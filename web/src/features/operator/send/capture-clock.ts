import { clockError, ranEvenlySince, thisMoment, type Moment } from "#/api/server-clock";
import { randomId } from "#/shared/random-id";
import type { OutboxEntry } from "./outbox-entry";

/** Moments of captures on this page. Their ids have no meaning on other pages. */
const moments = new Map<string, Moment>();

/** The clock error at the capture, or the id of its moment while the error is unknown. */
export function clockAtCapture(): Pick<OutboxEntry, "clockError" | "clockMoment"> {
  const error = clockError();
  if (error !== null) return { clockError: error };
  const name = randomId();
  moments.set(name, thisMoment());
  return { clockError: null, clockMoment: name };
}

/**
 * Corrects the capture time of an entry by the clock error at its capture. An error learned later is
 * used only if the clock was not set in between.
 */
export function atTrueTime(entry: OutboxEntry): Partial<OutboxEntry> | null {
  if (entry.clockChecked) return null;
  const error = entry.clockError ?? errorSince(entry.clockMoment);
  const time = new Date(entry.capturedAt).getTime();
  if (error === null || error === 0 || Number.isNaN(time)) return null;
  return { clockChecked: true, capturedAt: new Date(time + error).toISOString() };
}

/** Whether a response of the server would reveal the clock error at the capture. */
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
