/** Spaces can't be seen on paper, yet they count: the open box stands for one. */
export function printedPassword(password: string): { text: string; hasSpaces: boolean } {
  const text = password.replaceAll(/\s/gu, "␣");
  return { text, hasSpaces: text !== password };
}
