/** The same day `months` later, clamped to the month's end, like the server. */
export function monthsLater(from: Date, months: number): Date {
  const day = from.getUTCDate();
  const later = new Date(from);
  later.setUTCDate(1);
  later.setUTCMonth(later.getUTCMonth() + months);
  const last = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate();
  later.setUTCDate(Math.min(day, last));
  return later;
}
