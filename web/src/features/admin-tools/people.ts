import { createConnectQueryKey } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { AccountsService, Role, type Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { compareNames } from "#/domain/names";
import type { User } from "#/session/session";
import type * as permissions from "#/domain/permissions";

/** The operators' screen also shows personal passwords. */
export function useRefreshPeople(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(
    () =>
      client.invalidateQueries({
        queryKey: createConnectQueryKey({ schema: AccountsService, cardinality: undefined }),
      }),
    [client],
  );
}

/**
 * People don't reset their own password here, and only the owner resets the owner's; managers come
 * first.
 */
export function resettable(people: readonly Employee[], self: User | null): Employee[] {
  return people
    .filter((person) => person.id !== self?.id)
    .filter((person) => person.role !== Role.OWNER || self?.role === "owner")
    .toSorted((a, b) => rank(a) - rank(b) || compareNames(nameOf(a), nameOf(b)));
}

function rank({ role }: Employee): number {
  return role === Role.OPERATOR ? 1 : 0;
}

/** The name, or the sign-in name without one. */
export function nameOf(person: Employee): string {
  return `${person.firstName} ${person.lastName}`.trim() || loginOf(person);
}

export function loginOf({ email, operatorUsername }: Employee): string {
  return operatorUsername ?? email ?? "";
}

export function roleWord(role: Role): permissions.Role {
  switch (role) {
    case Role.OWNER:
      return "owner";
    case Role.MANAGER:
      return "manager";
    case Role.SUPPORT:
      return "support";
    case Role.OPERATOR:
    default:
      return "operator";
  }
}
