import {
  keepPreviousData,
  useInfiniteQuery,
  useQueryClient,
  type InfiniteData,
} from "@tanstack/react-query";
import { useCallback } from "react";
import * as v from "valibot";
import { rest, restPage, type RestPage } from "#/api/rest";
import type { Tier } from "#/domain/plan";
import { usePages, type Pages } from "#/shared/table/use-pages";

const path = "/api/admin/accounts";
const pageSize = 100;
const listKey = "admin-accounts";

// What billing holds is null for a company that it has not met yet.
const accountSchema = v.object({
  id: v.string(),
  business_name: v.string(),
  email: v.nullable(v.string()),
  subscription_tier: v.nullable(v.string()),
  subscription_status: v.nullable(v.string()),
  equipment_limit: v.nullable(v.number()),
  equipment_limit_override: v.nullable(v.number()),
  subscription_expiry: v.nullable(v.string()),
  /** Never the password: the mask when one is set. */
  master_password: v.nullable(v.string()),
  created_at: v.string(),
});
export type Account = v.InferOutput<typeof accountSchema>;

function loadPage(search: string, cursor: string, signal: AbortSignal) {
  const query = new URLSearchParams({ limit: String(pageSize) });
  if (search) query.set("search", search);
  if (cursor) query.set("cursor", cursor);
  return restPage(`${path}?${query}`, accountSchema, { signal });
}

/** The pages as one list. The rows of the last search stay until those of the new one have come. */
export function useAccountPages(search: string | undefined): Pages<Account> {
  const part = search?.trim() ?? "";
  const query = useInfiniteQuery({
    queryKey: [listKey, part],
    queryFn: ({ pageParam, signal }) => loadPage(part, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  return usePages(query);
}

/** Puts a changed account where it stands, without loading thousands of others again. */
export function usePutAccount(): (account: Account) => void {
  const client = useQueryClient();
  return useCallback(
    (account) => {
      client.setQueriesData<InfiniteData<RestPage<Account>, string>>(
        { queryKey: [listKey] },
        (data) =>
          data && {
            ...data,
            pages: data.pages.map((page) => ({
              ...page,
              rows: page.rows.map((row) => (row.id === account.id ? account : row)),
            })),
          },
      );
    },
    [client],
  );
}

/** The operator password of a company; null when it has none. The caller must not keep it. */
export async function revealPassword(id: string, reason: string): Promise<string | null> {
  const answer = await rest(
    "POST",
    `${path}/${encodeURIComponent(id)}/reveal-master-password`,
    v.object({ masterPassword: v.nullable(v.string()) }),
    { body: { reason } },
  );
  return answer.masterPassword;
}

/** −1: no limit; null: the plan's own. Answers the account as it is then. */
export function setEquipmentLimit(
  id: string,
  equipmentLimit: number | null,
  reason: string,
): Promise<Account> {
  return rest("POST", `${path}/${encodeURIComponent(id)}/equipment-limit`, accountSchema, {
    body: { equipmentLimit, reason },
  });
}

/** Days from today until the trial ends. Answers the account as it is then. */
export function extendTrial(id: string, days: number, reason: string): Promise<Account> {
  return rest("POST", `${path}/${encodeURIComponent(id)}/extend-trial`, accountSchema, {
    body: { days, reason },
  });
}

/** A plan agreed on outside the product, for so many days from today. */
export function setPlan(id: string, tier: Tier, days: number, reason: string): Promise<Account> {
  return rest("POST", `${path}/${encodeURIComponent(id)}/plan`, accountSchema, {
    body: { tier, days, reason },
  });
}
