const compact = (text: string) => text.replace(/[\s\u00a0\u202f]/g, "");

/** Whether points seem to group thousands: "5.000" may mean 5,000, and "4.811,7" is 4,811.7. */
export function hasPointGroups(text: string): boolean {
  return /^-?[1-9]\d{0,2}(\.\d{3})+(,\d*)?$/.test(compact(text));
}

/**
 * Parses a typed number: "4812.5", "4,812.5", "4 812,5". A single comma followed by exactly three
 * digits groups thousands, any other single comma is the decimal sign. Null if it is invalid, or if
 * its points seem to group thousands.
 */
export function parseDecimal(text: string): number | null {
  const digits = compact(text);
  if (hasPointGroups(text)) return null;
  if (/^-?\d{1,3}(,\d{3})+(\.\d*)?$/.test(digits)) return Number(digits.replaceAll(",", ""));
  if (/^-?\d*,\d*$/.test(digits) && /\d/.test(digits)) return Number(digits.replace(",", "."));
  if (/^-?(\d+\.?\d*|\.\d+)$/.test(digits)) return Number(digits);
  return null;
}

/** Quantities have at most two decimals; the server refuses more. */
export function hasTooManyDecimals(text: string): boolean {
  const value = parseDecimal(text);
  return value === null ? hasPointGroups(text) : Number(value.toFixed(2)) !== value;
}
