const dayMs = 86_400_000;

/** Calendar days between two times in the local time zone. */
export function daysBetween(from: Date, to: Date): number {
  const start = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());
  // Rounded, because a day with a clock change has 23 or 25 hours.
  return Math.round((start(to).getTime() - start(from).getTime()) / dayMs);
}
