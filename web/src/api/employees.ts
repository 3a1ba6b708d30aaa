import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod, createQueryOptions } from "@connectrpc/connect-query";
import { AccountsService } from "./gen/hourmeter/accounts/v1/accounts_pb";
import { wholeList } from "./whole-list";

const { listEmployees } = AccountsService.method;

export function employeesQuery(transport: Transport) {
  return {
    ...createQueryOptions(listEmployees, {}, { transport }),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      wholeList(
        (page) => callUnaryMethod(transport, listEmployees, { page }, { signal }),
        (whole, next) => whole.employees.push(...next.employees),
      ),
  };
}
