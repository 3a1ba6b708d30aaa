/** Text in lower case without accents, for searching. */
export function plainText(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** Compares names as the server does: without case and accents, and numbers by their value. */
export const compareNames: (one: string, other: string) => number = new Intl.Collator(undefined, {
  numeric: true,
  sensitivity: "base",
}).compare;
