/**
 * Reads a number as people type it: "4812.5", "4,812.5", "4 812,5". A lone comma followed by exactly
 * three digits groups thousands, any other lone comma is the decimal sign. Null when it is none.
 */
export function parseDecimal(text: string): number | null {
  const compact = text.replace(/[\s\u00a0\u202f]/g, "");
  if (/^-?\d{1,3}(,\d{3})+(\.\d*)?$/.test(compact)) return Number(compact.replaceAll(",", ""));
  if (/^-?\d*,\d*$/.test(compact) && /\d/.test(compact)) return Number(compact.replace(",", "."));
  if (/^-?(\d+\.?\d*|\.\d+)$/.test(compact)) return Number(compact);
  return null;
}

/** Quantities have at most two decimals; more would be refused by the server. */
export function hasAtMostTwoDecimals(value: number): boolean {
  return Number(value.toFixed(2)) === value;
}
