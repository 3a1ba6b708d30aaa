import { plainText } from "#/domain/names";

const wordsOf = (text: string): string[] => plainText(text).split(/\s+/).filter(Boolean);

/** Whether the text contains every word of the search, ignoring case and accents. */
export function matches(text: string, search: string): boolean {
  const plain = plainText(text);
  return wordsOf(search).every((word) => plain.includes(word));
}

/** The words without the first ones that are among `skipped`. */
function withoutFirst(words: readonly string[], skipped: string): readonly string[] {
  const known = new Set(wordsOf(skipped));
  const begin = words.findIndex((word) => !known.has(plainText(word)));
  return begin === -1 ? [] : words.slice(begin);
}

const shortest = 3;

/**
 * Splits "reading for 310SL" into the command that its first word names and the machine's name. A
 * command is named by the first letters of one of its words; `isComplete` if by the whole word.
 * `verbs` in front of it, as in "mark as serviced", are skipped.
 */
export function parseCommand<Command extends string>(
  search: string,
  commands: ReadonlyArray<{ command: Command; words: string }>,
  filler: string,
  verbs = "",
): { command: Command; isComplete: boolean; name: string } | null {
  const typed = search.trim().split(/\s+/);
  const [first = "", ...rest] = withoutFirst(typed, verbs);
  const verb = plainText(first);
  if (verb.length < shortest) return null;
  const named = commands.find(({ words }) => wordsOf(words).some((word) => word.startsWith(verb)));
  if (!named) return null;
  const isComplete = wordsOf(named.words).includes(verb);
  // Also in "update usage of 310SL", in which two words name the command.
  const [second = "", ...others] = withoutFirst(rest, filler);
  const isOwn = wordsOf(named.words).includes(plainText(second));
  const name = withoutFirst(isOwn ? others : rest, filler).join(" ");
  return { command: named.command, isComplete, name };
}
