import { dayIn } from "#/domain/calendar";

const hourMs = 3_600_000;
const minuteMs = 60_000;

/**
 * The instant at which a calendar day begins in a time zone. Clocks may move forward at midnight,
 * so the first instant is searched for instead of computed from an offset.
 */
export function startOfDay(day: string, zone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // No zone is further from UTC than this; in whole minutes, as offsets are today.
  let before = (midnight - 15 * hourMs) / minuteMs;
  let within = (midnight + 15 * hourMs) / minuteMs;
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (dayIn(zone, new Date(middle * minuteMs)) >= day) within = middle;
    else before = middle;
  }
  return new Date(within * minuteMs);
}

export function nextDay(day: string): string {
  const instant = new Date(`${day}T00:00:00Z`);
  instant.setUTCDate(instant.getUTCDate() + 1);
  return instant.toISOString().slice(0, 10);
}
