/** Two columns of four cards fit A4 and Letter. */
export const cardsPerSheet = 8;

export function sheetsOf<Card>(cards: readonly Card[]): Card[][] {
  return Array.from({ length: Math.ceil(cards.length / cardsPerSheet) }, (_, sheet) =>
    cards.slice(sheet * cardsPerSheet, (sheet + 1) * cardsPerSheet),
  );
}

export type Paper = "a4" | "letter";

/** In the Americas, paper is Letter. */
export function usualPaper(zone: string): Paper {
  return /^(America\/|Pacific\/Honolulu$)/.test(zone) ? "letter" : "a4";
}
