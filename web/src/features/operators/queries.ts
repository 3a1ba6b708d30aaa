import type { Transport } from "@connectrpc/connect";
import { createConnectQueryKey, createQueryOptions } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { AccountsService, Role, type Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";

export function employeesQuery(transport: Transport) {
  return createQueryOptions(AccountsService.method.listEmployees, {}, { transport });
}

/** The company's people hold managers and the owner too; this screen shows the operators. */
export function operatorsOf(employees: readonly Employee[]): Employee[] {
  return employees.filter((employee) => employee.role === Role.OPERATOR);
}

export function fullName(employee: Pick<Employee, "firstName" | "lastName">): string {
  return `${employee.firstName} ${employee.lastName}`.trim();
}

/** Removing an operator also makes the shared password stale, so the settings are read again. */
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
