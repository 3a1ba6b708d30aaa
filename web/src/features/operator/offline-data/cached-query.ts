import type { QueryClient, UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import * as v from "valibot";
import { toFailure } from "#/api/errors";
import { readCached, writeCached } from "#/device/database";
import { getSession } from "#/session/state";
import type { UserDeps } from "./per-user";

/** `ready`: data from the server or the cache. `failed`: no cached data and the request failed. */
export type ListState = "loading" | "ready" | "failed";

export interface Synced {
  /** Time of the last response from the server. */
  syncedAt: Date | null;
  state: ListState;
  error: unknown;
  refreshing: boolean;
  refetch: () => void;
}

interface Copy<Data> {
  /** Key of the copy on the device. */
  key: string;
  queryKey: readonly string[];
  encode: (data: Data) => unknown;
  /** Returns null for a copy that is damaged or of another version. */
  decode: (stored: unknown) => Data | null;
}

const storedSchema = v.object({ value: v.unknown(), syncedAt: v.date() });

/** The cached copy of one user's list on this device. */
export function cachedCopy<Data>(
  { client, userId }: UserDeps,
  { key, queryKey, encode, decode }: Copy<Data>,
) {
  return {
    /** Puts the copy into the query, if it has no data yet. */
    async restore(): Promise<void> {
      const isShown = () => client.getQueryData(queryKey) !== undefined;
      if (isShown()) return;
      const stored = v.safeParse(storedSchema, await readCached(key));
      const data = stored.success ? decode(stored.output.value) : null;
      if (!stored.success || data === null || isShown()) return;
      client.setQueryData<Data>(queryKey, data, { updatedAt: stored.output.syncedAt.getTime() });
    },
    async write(data: Data, syncedAt = new Date()): Promise<void> {
      // A late response must not be stored after the sign-out.
      if (getSession().user?.id !== userId) return;
      await writeCached(key, { value: encode(data), syncedAt });
    },
  };
}

/** Refetches when the page becomes visible or the connection returns. */
export const fieldRefresh = {
  gcTime: 5 * 60_000,
  refetchOnWindowFocus: "always",
  refetchOnReconnect: "always",
  refetchIntervalInBackground: true,
  // Without a session retries fail. A sign-in refetches.
  refetchInterval: ({ state: { error } }: { state: { error: Error | null } }) =>
    error && toFailure(error).status !== 401 ? 30_000 : false,
} as const;

export function useSynced(query: UseQueryResult): Synced {
  const { data, error, dataUpdatedAt, errorUpdateCount, isFetching, refetch } = query;
  // A query without data resets its error during a refetch.
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

/** Refetches the query if it is in use. */
export const refresh = (client: QueryClient, queryKey: readonly string[]): Promise<void> =>
  client.invalidateQueries({ queryKey });
