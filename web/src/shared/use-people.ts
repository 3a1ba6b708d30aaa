import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { employeesQuery } from "#/api/employees";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";

/** The company's people by name; the filter may also name a former person. */
export function usePeople(chosen: string | undefined, nameOfFormer: string) {
  const query = useQuery(employeesQuery(useTransport()));
  const people = (query.data?.employees ?? [])
    .map((person) => ({ value: person.id, label: labelOf(person) }))
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
