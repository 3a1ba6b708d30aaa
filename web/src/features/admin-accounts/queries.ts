import { timestampDate, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import {
  keepPreviousData,
  queryOptions,
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
  StaffService as AccountsStaff,
  type GetAccountResponse,
} from "#/api/gen/hourmeter/accounts/v1/staff_pb";
import {
  BillingService,
  type AccountSubscription,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import {
  AccountState as State,
  StaffService as BillingStaff,
} from "#/api/gen/hourmeter/billing/v1/staff_pb";
import type { AuditEvent } from "#/api/gen/hourmeter/common/v1/audit_pb";
import { StaffService as EquipmentStaff } from "#/api/gen/hourmeter/equipment/v1/staff_pb";
import type { RestPage } from "#/api/rest";
import { usePages, type Pages } from "#/shared/table/use-pages";
import type { AccountState } from "#/domain/account-states";
import { stateOf } from "./account-state";

const pageSize = 100;
/** Of a search within a state: accounts knows the names, and billing the states. */
const searchPageSize = 500;
const listKey = "admin-accounts";

export interface Account {
  id: string;
  company: Company;
  /** Undefined for a company that billing does not know yet. */
  billed: AccountSubscription | undefined;
  /** Pieces of active equipment; undefined if they could not be counted. */
  equipment: number | undefined;
}

/** A company with what only its page shows. */
export interface AccountDetails extends Account {
  people: GetAccountResponse;
  /** Newest first. */
  events: readonly AuditEvent[];
}

type Load<Answer> = (transport: Transport, companies: string[], signal: AbortSignal) => Answer;

const loadSubscriptions: Load<Promise<Map<string, AccountSubscription>>> = async (
  transport,
  companyIds,
  signal,
) => {
  const { listSubscriptions } = BillingService.method;
  const found = await callUnaryMethod(transport, listSubscriptions, { companyIds }, { signal });
  return new Map(found.subscriptions.map((one) => [one.companyId, one]));
};

/** The accounts are useful without these figures, so a failure hides only them. */
const loadCounts: Load<Promise<(id: string) => number | undefined>> = async (
  transport,
  companyIds,
  signal,
) => {
  const { countEquipment } = EquipmentStaff.method;
  try {
    const answer = await callUnaryMethod(transport, countEquipment, { companyIds }, { signal });
    const counts = new Map(answer.counts.map((count) => [count.companyId, count.active]));
    return (id) => counts.get(id) ?? 0;
  } catch (error) {
    if (signal.aborted) throw error;
    return () => undefined;
  }
};

async function loadPage(
  transport: Transport,
  request: { search: string; page: { limit: number; cursor: string } },
  signal: AbortSignal,
): Promise<RestPage<Account>> {
  const { listAccounts } = AccountsService.method;
  const { accounts, page } = await callUnaryMethod(transport, listAccounts, request, { signal });
  const companyIds = accounts.map(({ id }) => id);
  const [billed, countOf] = await Promise.all([
    loadSubscriptions(transport, companyIds, signal),
    loadCounts(transport, companyIds, signal),
  ]);
  return {
    rows: accounts.map((company) => ({
      id: company.id,
      company,
      billed: billed.get(company.id),
      equipment: countOf(company.id),
    })),
    nextCursor: page?.nextCursor || null,
  };
}

const stateCodes: Record<AccountState, State> = {
  trial: State.TRIAL,
  active: State.ACTIVE,
  pastDue: State.PAST_DUE,
  paused: State.PAUSED,
  canceled: State.CANCELED,
  expired: State.EXPIRED,
};

async function loadInState(
  transport: Transport,
  state: AccountState,
  cursor: string,
  signal: AbortSignal,
): Promise<RestPage<Account>> {
  const request = { state: stateCodes[state], page: { limit: pageSize, cursor } };
  const { listSubscriptionsInState } = BillingStaff.method;
  const { findAccounts } = AccountsStaff.method;
  const found = await callUnaryMethod(transport, listSubscriptionsInState, request, { signal });
  const ids = found.subscriptions.map(({ companyId }) => companyId);
  const [{ accounts }, countOf] = await Promise.all([
    callUnaryMethod(transport, findAccounts, { accountIds: ids }, { signal }),
    loadCounts(transport, ids, signal),
  ]);
  const companies = new Map(accounts.map((company) => [company.id, company]));
  const rows = found.subscriptions.flatMap((billed) => {
    const { companyId: id } = billed;
    const company = companies.get(id);
    return company ? [{ id, company, billed, equipment: countOf(id) }] : [];
  });
  return { rows, nextCursor: found.page?.nextCursor || null };
}

/** With a search and a state, a page can be empty although there are more. */
async function loadFiltered(
  transport: Transport,
  { search, state }: AccountFilter,
  cursor: string,
  signal: AbortSignal,
): Promise<RestPage<Account>> {
  if (state && !search) return loadInState(transport, state, cursor, signal);
  const limit = state ? searchPageSize : pageSize;
  const { rows, nextCursor } = await loadPage(
    transport,
    { search, page: { limit, cursor } },
    signal,
  );
  const wanted = state ? rows.filter((account) => stateOf(account) === state) : rows;
  return { rows: wanted, nextCursor };
}

interface AccountFilter {
  search: string;
  state: AccountState | undefined;
}

/** The pages as one list. The previous rows stay until those of the new filter are loaded. */
export function useAccountPages(
  search: string | undefined,
  state: AccountState | undefined,
): Pages<Account> {
  const transport = useTransport();
  const filter = { search: search?.trim() ?? "", state };
  const query = useInfiniteQuery({
    queryKey: [listKey, filter],
    queryFn: ({ pageParam, signal }) => loadFiltered(transport, filter, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  return usePages(query);
}

export function accountQuery(transport: Transport, id: string) {
  return queryOptions({
    queryKey: ["admin-account", id],
    queryFn: async ({ signal }): Promise<AccountDetails> => {
      const { getAccount } = AccountsStaff.method;
      const { listAccountEvents } = BillingStaff.method;
      const [people, billed, countOf, changes] = await Promise.all([
        callUnaryMethod(transport, getAccount, { accountId: id }, { signal }),
        loadSubscriptions(transport, [id], signal),
        loadCounts(transport, [id], signal),
        callUnaryMethod(transport, listAccountEvents, { companyId: id }, { signal }),
      ]);
      if (!people.account) throw new Error("The response has no account.");
      const events = [...people.events, ...changes.events];
      return {
        id,
        company: people.account,
        billed: billed.get(id),
        equipment: countOf(id),
        people,
        events: events.sort((a, b) => millis(b) - millis(a)),
      };
    },
  });
}

function millis({ at }: AuditEvent): number {
  return at ? timestampMs(at) : 0;
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
