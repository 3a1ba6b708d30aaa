import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import {
  keepPreviousData,
  useInfiniteQuery,
  useQueryClient,
  type InfiniteData,
} from "@tanstack/react-query";
import { useCallback } from "react";
import {
  AccountsService,
  type Account as Company,
} from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import {
  BillingService,
  type AccountSubscription,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import type { RestPage } from "#/api/rest";
import { usePages, type Pages } from "#/shared/table/use-pages";

const pageSize = 100;
const listKey = "admin-accounts";

export interface Account {
  id: string;
  company: Company;
  /** Undefined for a company that billing does not know yet. */
  billed: AccountSubscription | undefined;
}

async function loadPage(
  transport: Transport,
  search: string,
  cursor: string,
  signal: AbortSignal,
): Promise<RestPage<Account>> {
  const { listAccounts } = AccountsService.method;
  const request = { search, page: { limit: pageSize, cursor } };
  const { accounts, page } = await callUnaryMethod(transport, listAccounts, request, { signal });
  const companyIds = accounts.map(({ id }) => id);
  const { listSubscriptions } = BillingService.method;
  const found = await callUnaryMethod(transport, listSubscriptions, { companyIds }, { signal });
  const billed = new Map(found.subscriptions.map((one) => [one.companyId, one]));
  return {
    rows: accounts.map((company) => ({ id: company.id, company, billed: billed.get(company.id) })),
    nextCursor: page?.nextCursor || null,
  };
}

/** The pages as one list. The previous rows stay until those of the new search are loaded. */
export function useAccountPages(search: string | undefined): Pages<Account> {
  const transport = useTransport();
  const part = search?.trim() ?? "";
  const query = useInfiniteQuery({
    queryKey: [listKey, part],
    queryFn: ({ pageParam, signal }) => loadPage(transport, part, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  return usePages(query);
}

/** Updates one row in the cache instead of loading thousands again. */
export function usePutSubscription(): (changed: AccountSubscription | undefined) => void {
  const client = useQueryClient();
  return useCallback(
    (changed) => {
      client.setQueriesData<InfiniteData<RestPage<Account>, string>>(
        { queryKey: [listKey] },
        (data) =>
          data && {
            ...data,
            pages: data.pages.map((page) => ({
              ...page,
              rows: page.rows.map((row) =>
                row.id === changed?.companyId ? { ...row, billed: changed } : row,
              ),
            })),
          },
      );
    },
    [client],
  );
}

/** The end of the paid period or the trial. */
export function expiryOf(billed: AccountSubscription | undefined): Date | null {
  const at = billed?.subscription?.currentPeriodEnd ?? billed?.subscription?.trialEnd;
  return at ? timestampDate(at) : null;
}
