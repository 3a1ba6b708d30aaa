import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { employeesQuery } from "#/api/employees";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";

interface Person {
  value: string;
  label: string;
}

/**
 * The company's people by name, and former ones who occur in what is shown; the filter may also
 * name another former person.
 */
export function usePeople(
  chosen: string | undefined,
  nameOfFormer: string,
  shown: readonly Person[] = [],
) {
  const query = useQuery(employeesQuery(useTransport()));
  // A server of the last release does not send the ids.
  const named = query.isPending ? [] : shown.filter(({ value }) => value !== "");
  const byId = new Map(named.map(({ value, label }) => [value, label]));
  for (const person of query.data?.employees ?? []) byId.set(person.id, labelOf(person));
  const people = [...byId]
    .map(([value, label]): Person => ({ value, label }))
    .toSorted((left, right) => left.label.localeCompare(right.label));
  if (chosen !== undefined && !people.some((person) => person.value === chosen)) {
    people.push({ value: chosen, label: query.isPending ? "…" : nameOfFormer });
  }
  return { people, failed: query.isError };
}

/** Two people may share a name; what they sign in with distinguishes them. */
function labelOf({ firstName, lastName, operatorUsername, email }: Employee): string {
  const name = `${firstName} ${lastName}`.trim();
  const login = operatorUsername ?? email ?? "";
  return name && login ? `${name} · ${login}` : name || login;
}
