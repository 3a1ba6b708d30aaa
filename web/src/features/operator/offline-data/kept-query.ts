import type { QueryClient, UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import * as v from "valibot";
import { toFailure } from "#/api/errors";
import { readKept, writeKept } from "#/device/database";
import { sessionQuery, type User } from "#/session/session";
import type { PersonTools } from "./per-person";

/** `ready`: from the server or from this device. `failed`: nothing is kept and nothing came. */
export type ListState = "loading" | "ready" | "failed";

export interface Synced {
  /** When the server last said so. */
  syncedAt: Date | null;
  state: ListState;
  error: unknown;
  refreshing: boolean;
  refetch: () => void;
}

interface Copy<Data> {
  /** Where it is kept. */
  key: string;
  queryKey: readonly string[];
  encode: (data: Data) => unknown;
  /** Null for what was damaged, or what another version kept. */
  decode: (stored: unknown) => Data | null;
}

const storedSchema = v.object({ value: v.unknown(), syncedAt: v.date() });

/** The copy of one person's list on this device. */
export function keptCopy<Data>(
  { client, userId }: PersonTools,
  { key, queryKey, encode, decode }: Copy<Data>,
) {
  return {
    /** Shows it where nothing is shown yet, with the time at which the server said so. */
    async restore(): Promise<void> {
      const isShown = () => client.getQueryData(queryKey) !== undefined;
      if (isShown()) return;
      const stored = v.safeParse(storedSchema, await readKept(key));
      const data = stored.success ? decode(stored.output.value) : null;
      if (!stored.success || data === null || isShown()) return;
      client.setQueryData<Data>(queryKey, data, { updatedAt: stored.output.syncedAt.getTime() });
    },
    async write(data: Data, syncedAt = new Date()): Promise<void> {
      // Nothing is kept after a sign-out.
      if (client.getQueryData<User | null>(sessionQuery.queryKey)?.id !== userId) return;
      await writeKept(key, { value: encode(data), syncedAt });
    },
  };
}

/** What an operator looks at is refreshed whenever the page or the connection comes back. */
export const fieldRefresh = {
  gcTime: 5 * 60_000,
  refetchOnWindowFocus: "always",
  refetchOnReconnect: "always",
  refetchIntervalInBackground: true,
  // Without a session every repeat is refused too; the new sign-in refetches.
  refetchInterval: ({ state: { error } }: { state: { error: Error | null } }) =>
    error && toFailure(error).status !== 401 ? 30_000 : false,
} as const;

export function useSynced(query: UseQueryResult): Synced {
  const { data, error, dataUpdatedAt, errorUpdateCount, isFetching, refetch } = query;
  // A query that has no data forgets its error while it asks again.
  const [lastError, setLastError] = useState<unknown>(null);
  if (error && error !== lastError) setLastError(error);
  const failed = data === undefined && errorUpdateCount > 0;
  return {
    syncedAt: data === undefined ? null : new Date(dataUpdatedAt),
    state: data !== undefined ? "ready" : failed ? "failed" : "loading",
    error: failed ? lastError : error,
    refreshing: isFetching,
    refetch: () => void refetch(),
  };
}

/** Refetches where the list is on screen. */
export const refresh = (client: QueryClient, queryKey: readonly string[]): Promise<void> =>
  client.invalidateQueries({ queryKey });
