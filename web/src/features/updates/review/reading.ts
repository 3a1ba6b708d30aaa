import { hasTooManyDecimals, parseDecimal } from "#/shared/form/decimal";

/** Parses a typed reading; null if a meter can't show it. */
export function readingOf(text: string): number | null {
  const value = parseDecimal(text);
  return value !== null && value >= 0 && value <= 1e9 && !hasTooManyDecimals(text) ? value : null;
}
