import { infiniteQueryOptions, useInfiniteQuery, type InfiniteData } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import * as v from "valibot";
import { restPage } from "#/api/rest";
import { keptKeys } from "#/device/person";
import { fieldRefresh, keptCopy, useSynced, type Synced } from "./kept-query";
import { ownUpdateSchema, type OwnUpdate } from "./own-update";
import { perPerson, usePerson, type PersonTools } from "./per-person";
import { keptIds, useKeptIds } from "../send/storage-ids";

interface Page {
  updates: readonly OwnUpdate[];
  /** How to go on behind the last one; null: that was the last, or it is not known. */
  cursor: string | null;
}

/** Newest first. */
export type History = InfiniteData<Page>;

export interface OwnHistory extends Synced {
  /** The person's own submissions with their outcomes, newest first. */
  updates: readonly OwnUpdate[];
  hasMore: boolean;
  loadMore: () => void;
  loadingMore: boolean;
}

/** The number of rows kept for use without a connection, and of a page. */
const pageSize = 100;
const none: readonly OwnUpdate[] = [];

const keptSchema = v.array(ownUpdateSchema);

export const historyKey = (userId: string) => ["history", userId];

/** Rows that the server has answered since the newest page was asked for: they may not be in it. */
const answeredOf = perPerson(() => new Map<string, OwnUpdate>());

const copyOf = (person: PersonTools) =>
  keptCopy<History>(person, {
    key: keptKeys.history(person.userId),
    queryKey: historyKey(person.userId),
    encode: (history) => updatesIn(history).slice(0, pageSize),
    decode: readHistory,
  });

const historyQuery = (person: PersonTools) =>
  infiniteQueryOptions({
    ...fieldRefresh,
    queryKey: historyKey(person.userId),
    queryFn: ({ pageParam }) =>
      pageParam === "" ? fetchNewest(person) : fetchPage(person, pageParam),
    initialPageParam: "",
    getNextPageParam: ({ cursor }) => cursor,
  });

const newest = (page: Page): History => ({ pages: [page], pageParams: [""] });

/** Null for what was damaged, or kept by an earlier version: the server has it all. */
export function readHistory(stored: unknown): History | null {
  const kept = v.safeParse(keptSchema, stored);
  return kept.success ? newest({ updates: kept.output, cursor: null }) : null;
}

async function fetchNewest(person: PersonTools): Promise<Page> {
  const copy = copyOf(person);
  const answered = answeredOf(person);
  await copy.restore();
  answered.clear();
  const { updates, cursor } = await fetchPage(person, "");
  const page = { updates: [...answered.values()].reduce(withRow, updates), cursor };
  void copy.write(newest(page));
  return page;
}

async function fetchPage({ userId }: PersonTools, cursor: string): Promise<Page> {
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

/** A row that the server has just answered takes its place on top, or that of its older self. */
export function withUpdate({ pages, pageParams }: History, update: OwnUpdate): History {
  const known = pages.findIndex(({ updates }) => updates.some(({ id }) => id === update.id));
  const at = Math.max(0, known);
  return {
    pageParams,
    pages: pages.map((page, index) =>
      index === at ? { ...page, updates: withRow(page.updates, update) } : page,
    ),
  };
}

/** Shows a row that the server has just answered, in the same moment, and keeps it. */
export function putUpdate(person: PersonTools, update: OwnUpdate): Promise<void> {
  answeredOf(person).set(update.id, update);
  const queryKey = historyKey(person.userId);
  const { data, dataUpdatedAt = 0 } = person.client.getQueryState<History>(queryKey) ?? {};
  if (!data) return Promise.resolve();
  const history = withUpdate(data, update);
  person.client.setQueryData(queryKey, history, { updatedAt: dataUpdatedAt });
  return copyOf(person).write(history, new Date(dataUpdatedAt));
}

/** Entries without those that the server has by now: its answer was lost, or another tab sent them. */
export function withoutSent<Entry extends { clientId: string }>(
  entries: readonly Entry[],
  updates: readonly OwnUpdate[],
): readonly Entry[] {
  const there = new Set(updates.map((update) => update.clientId));
  return entries.filter((entry) => !there.has(entry.clientId));
}

export function useOwnHistory(): OwnHistory {
  const query = useInfiniteQuery(historyQuery(usePerson()));
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

/** Older rejections are no news, also on a phone that is used for the first time. */
const newsMs = 14 * 24 * 60 * 60 * 1000;

const seenOf = perPerson(({ userId }) => keptIds(keptKeys.seen(userId)));
const correctedOf = perPerson(({ userId }) => keptIds(keptKeys.corrected(userId)));

export interface Rejections {
  /** What was rejected lately and neither seen nor corrected on this device, newest first. */
  rejected: readonly OwnUpdate[];
  /** Of which a corrected one was kept on this device, by the id of the rejected one. */
  corrected: ReadonlySet<string>;
  markSeen: (ids: readonly string[]) => void;
  markCorrected: (id: string) => void;
}

export function useRejected(): Rejections {
  const person = usePerson();
  const { data } = useInfiniteQuery(historyQuery(person));
  const seenStore = seenOf(person);
  const correctedStore = correctedOf(person);
  const seen = useKeptIds(seenStore);
  const answered = useKeptIds(correctedStore);
  const [opened] = useState(() => new Date());
  const corrected = useMemo(() => new Set(answered.ids), [answered]);
  const rejected = useMemo(() => {
    if (!seen.loaded || !answered.loaded) return none;
    return rejectedAmong(updatesIn(data), new Set([...seen.ids, ...corrected]), opened);
  }, [data, seen, answered.loaded, corrected, opened]);
  const markSeen = useCallback((ids: readonly string[]) => void seenStore.add(ids), [seenStore]);
  const markCorrected = useCallback(
    (id: string) => void correctedStore.add([id]),
    [correctedStore],
  );
  return { rejected, corrected, markSeen, markCorrected };
}

export function rejectedAmong(
  updates: readonly OwnUpdate[],
  seen: ReadonlySet<string>,
  now: Date,
): readonly OwnUpdate[] {
  return updates.filter(
    ({ id, status, reviewedAt }) =>
      status === "rejected" &&
      !seen.has(id) &&
      reviewedAt !== null &&
      now.getTime() - reviewedAt.getTime() < newsMs,
  );
}
