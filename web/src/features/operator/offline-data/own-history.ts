import { infiniteQueryOptions, useInfiniteQuery, type InfiniteData } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import * as v from "valibot";
import { restPage } from "#/api/rest";
import { cacheKeys } from "#/device/person";
import { fieldRefresh, cachedCopy, useSynced, type Synced } from "./cached-query";
import { ownUpdateSchema, type OwnUpdate } from "./own-update";
import { perUserSingleton, useUserDeps, type UserDeps } from "./per-user";
import { storedIds, useStoredIds } from "../send/stored-ids";

interface Page {
  updates: readonly OwnUpdate[];
  /** Cursor of the next page. Null on the last page and for a cached page. */
  cursor: string | null;
}

/** Pages of updates, newest first. */
export type History = InfiniteData<Page>;

export interface OwnHistory extends Synced {
  /** The user's own updates, newest first. */
  updates: readonly OwnUpdate[];
  hasMore: boolean;
  loadMore: () => void;
  loadingMore: boolean;
}

/** Rows per page. One page is cached on the device. */
const pageSize = 100;
const none: readonly OwnUpdate[] = [];

const cachedSchema = v.array(ownUpdateSchema);

export const historyKey = (userId: string) => ["history", userId];

/** Updates accepted since the request of the newest page, which may not include them. */
const recentAnswersOf = perUserSingleton(() => new Map<string, OwnUpdate>());

const copyOf = (person: UserDeps) =>
  cachedCopy<History>(person, {
    key: cacheKeys.history(person.userId),
    queryKey: historyKey(person.userId),
    encode: (history) => updatesIn(history).slice(0, pageSize),
    decode: readHistory,
  });

const historyQuery = (person: UserDeps) =>
  infiniteQueryOptions({
    ...fieldRefresh,
    queryKey: historyKey(person.userId),
    queryFn: ({ pageParam }) =>
      pageParam === "" ? fetchNewest(person) : fetchPage(person, pageParam),
    initialPageParam: "",
    getNextPageParam: ({ cursor }) => cursor,
  });

const newest = (page: Page): History => ({ pages: [page], pageParams: [""] });

/** Returns null for a copy that is damaged or of an earlier version. The server has all updates. */
export function readHistory(stored: unknown): History | null {
  const cached = v.safeParse(cachedSchema, stored);
  return cached.success ? newest({ updates: cached.output, cursor: null }) : null;
}

async function fetchNewest(person: UserDeps): Promise<Page> {
  const copy = copyOf(person);
  const answered = recentAnswersOf(person);
  await copy.restore();
  answered.clear();
  const { updates, cursor } = await fetchPage(person, "");
  const page = { updates: [...answered.values()].reduce(withRow, updates), cursor };
  void copy.write(newest(page));
  return page;
}

async function fetchPage({ userId }: UserDeps, cursor: string): Promise<Page> {
  const query = new URLSearchParams({ limit: String(pageSize), cursor });
  const { rows, nextCursor } = await restPage(`/api/operator-updates?${query}`, ownUpdateSchema, {
    expectedUser: userId,
  });
  return { updates: rows, cursor: nextCursor };
}

export function updatesIn(history: History | undefined): readonly OwnUpdate[] {
  return history?.pages.flatMap((page) => page.updates) ?? none;
}

function withRow(rows: readonly OwnUpdate[], update: OwnUpdate) {
  const at = rows.findIndex(({ id }) => id === update.id);
  return at === -1 ? [update, ...rows] : rows.with(at, update);
}

/** Adds an update on top, or replaces its earlier version. */
export function withUpdate({ pages, pageParams }: History, update: OwnUpdate): History {
  const found = pages.findIndex(({ updates }) => updates.some(({ id }) => id === update.id));
  const at = Math.max(0, found);
  return {
    pageParams,
    pages: pages.map((page, index) =>
      index === at ? { ...page, updates: withRow(page.updates, update) } : page,
    ),
  };
}

/** Shows an accepted or withdrawn update without a refetch, and caches it. */
export function putUpdate(person: UserDeps, update: OwnUpdate): Promise<void> {
  recentAnswersOf(person).set(update.id, update);
  const queryKey = historyKey(person.userId);
  const { data, dataUpdatedAt = 0 } = person.client.getQueryState<History>(queryKey) ?? {};
  if (!data) return Promise.resolve();
  const history = withUpdate(data, update);
  person.client.setQueryData(queryKey, history, { updatedAt: dataUpdatedAt });
  return copyOf(person).write(history, new Date(dataUpdatedAt));
}

/** Removes entries that the server has stored, after a lost response or a send by another tab. */
export function withoutSent<Entry extends { clientId: string }>(
  entries: readonly Entry[],
  updates: readonly OwnUpdate[],
): readonly Entry[] {
  const sentIds = new Set(updates.map((update) => update.clientId));
  return entries.filter((entry) => !sentIds.has(entry.clientId));
}

export function useOwnHistory(): OwnHistory {
  const query = useInfiniteQuery(historyQuery(useUserDeps()));
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const updates = useMemo(() => updatesIn(data), [data]);
  return {
    ...useSynced(query),
    updates,
    hasMore: hasNextPage,
    loadMore: () => void fetchNextPage(),
    loadingMore: isFetchingNextPage,
  };
}

/** Older rejections are not shown, also not on a new device. */
const newsMs = 14 * 24 * 60 * 60 * 1000;

/** Ids of rejected updates whose message was closed. */
export const seenOf = perUserSingleton(({ userId }) => storedIds(cacheKeys.seen(userId)));
const correctedOf = perUserSingleton(({ userId }) => storedIds(cacheKeys.corrected(userId)));

export interface Rejections {
  /** Whether the ids of seen and corrected updates are loaded; until then `rejected` is empty. */
  loaded: boolean;
  /** Recent rejections neither seen nor corrected on this device, newest first. */
  rejected: readonly OwnUpdate[];
  /** Ids of updates that were corrected on this device. */
  corrected: ReadonlySet<string>;
  markSeen: (ids: readonly string[]) => void;
  /** `clientId` is the correction's. */
  markCorrected: (id: string, clientId: string) => void;
}

export function useRejected(): Rejections {
  const person = useUserDeps();
  const { data } = useInfiniteQuery(historyQuery(person));
  const seenStore = seenOf(person);
  const correctedStore = correctedOf(person);
  const seen = useStoredIds(seenStore);
  const answered = useStoredIds(correctedStore);
  const [opened] = useState(() => new Date());
  const loaded = seen.loaded && answered.loaded;
  const corrected = useMemo(() => correctedAmong(updatesIn(data), answered.ids), [data, answered]);
  const rejected = useMemo(() => {
    if (!loaded) return none;
    return rejectedAmong(updatesIn(data), new Set([...seen.ids, ...corrected]), opened);
  }, [data, seen, loaded, corrected, opened]);
  const markSeen = useCallback((ids: readonly string[]) => void seenStore.add(ids), [seenStore]);
  const markCorrected = useCallback(
    (id: string, clientId: string) => void correctedStore.add([`${id} ${clientId}`]),
    [correctedStore],
  );
  return { loaded, rejected, corrected, markSeen, markCorrected };
}

/**
 * Ids of corrected updates. `pairs` are their ids, each with the correction's client id since that is
 * stored. A withdrawn correction does not count, unless it was corrected too.
 */
export function correctedAmong(
  updates: readonly OwnUpdate[],
  pairs: readonly string[],
): ReadonlySet<string> {
  const corrected = new Set<string>();
  for (const pair of pairs.toReversed()) {
    const [id = "", clientId] = pair.split(" ");
    const correction = updates.find((update) => update.clientId === clientId);
    if (!correction?.withdrawn || corrected.has(correction.id)) corrected.add(id);
  }
  return corrected;
}

export function rejectedAmong(
  updates: readonly OwnUpdate[],
  seen: ReadonlySet<string>,
  now: Date,
): readonly OwnUpdate[] {
  return updates.filter(
    ({ id, status, withdrawn, reviewedAt }) =>
      status === "rejected" &&
      !withdrawn &&
      !seen.has(id) &&
      reviewedAt !== null &&
      now.getTime() - reviewedAt.getTime() < newsMs,
  );
}
