/**
 * Parses a typed number: "4812.5", "4,812.5", "4 812,5". A single comma followed by exactly three
 * digits groups thousands, any other single comma is the decimal sign. Null if it is invalid.
 */
export function parseDecimal(text: string): number | null {
  const compact = text.replace(/[\s\u00a0\u202f]/g, "");
  if (/^-?\d{1,3}(,\d{3})+(\.\d*)?$/.test(compact)) return Number(compact.replaceAll(",", ""));
  if (/^-?\d*,\d*$/.test(compact) && /\d/.test(compact)) return Number(compact.replace(",", "."));
  if (/^-?(\d+\.?\d*|\.\d+)$/.test(compact)) return Number(compact);
  return null;
}

/** Quantities have at most two decimals; the server refuses more. */
export function hasAtMostTwoDecimals(value: number): boolean {
  return Number(value.toFixed(2)) === value;
}
