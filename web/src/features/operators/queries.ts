import { createConnectQueryKey } from "@connectrpc/connect-query";
import { useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useCallback } from "react";
import {
  AccountsService,
  Role,
  type Employee,
  type ListEmployeesResponse,
} from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { compareNames } from "#/domain/names";

/** The operators among the company's people. */
function operatorsOf(employees: readonly Employee[]): Employee[] {
  return employees.filter((employee) => employee.role === Role.OPERATOR);
}

/** Undefined while they are unknown: an empty list that could not be refreshed may have changed. */
export function knownOperators({
  data,
  error,
}: UseQueryResult<ListEmployeesResponse>): Employee[] | undefined {
  const operators = data && operatorsOf(data.employees);
  return error && operators?.length === 0 ? undefined : operators;
}

export function managersOf(employees: readonly Employee[]): Employee[] {
  const rank = ({ role }: Employee) => (role === Role.OWNER ? 0 : 1);
  return employees
    .filter((employee) => employee.role === Role.OWNER || employee.role === Role.MANAGER)
    .toSorted((a, b) => rank(a) - rank(b) || compareNames(personName(a), personName(b)));
}

export function fullName(employee: Pick<Employee, "firstName" | "lastName">): string {
  return `${employee.firstName} ${employee.lastName}`.trim();
}

/** The name, or the sign-in address without a name. */
export function personName(person: Employee): string {
  return fullName(person) || (person.email ?? "");
}

/** Removing a person also makes the shared password stale, so the settings are refetched. */
export function useRefreshAccounts(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(
    () =>
      client.invalidateQueries({
        queryKey: createConnectQueryKey({ schema: AccountsService, cardinality: undefined }),
      }),
    [client],
  );
}
