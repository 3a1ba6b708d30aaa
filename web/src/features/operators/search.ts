import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { plainText } from "#/domain/names";
import { fullName } from "./queries";

/** Lists with at least this many people have a search field. */
export const manyOperators = 8;

/** Operators whose name or username contains every word, ignoring case and accents. */
export function searchOperators(
  operators: readonly Employee[],
  search: string | undefined,
): readonly Employee[] {
  const words = plainText(search ?? "")
    .split(/\s+/)
    .filter(Boolean);
  if (words.length === 0) return operators;
  return operators.filter((operator) => {
    const text = plainText(`${fullName(operator)} ${operator.operatorUsername ?? ""}`);
    return words.every((word) => text.includes(word));
  });
}
