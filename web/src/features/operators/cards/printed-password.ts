/** Spaces are invisible on paper but count, so they are printed as an open box. */
export function printedPassword(password: string): { text: string; hasSpaces: boolean } {
  const text = password.replaceAll(/\s/gu, "␣");
  return { text, hasSpaces: text !== password };
}
