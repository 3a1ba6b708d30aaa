import { hasAtMostTwoDecimals, parseDecimal } from "#/shared/form/decimal";

/** What the person typed, if a meter can show it. */
export function readingOf(text: string): number | null {
  const value = parseDecimal(text);
  return value !== null && value >= 0 && value <= 1e9 && hasAtMostTwoDecimals(value) ? value : null;
}
