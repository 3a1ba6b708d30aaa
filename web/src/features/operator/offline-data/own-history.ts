import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { useCallback, useMemo, useState } from "react";
import * as v from "valibot";
import { toFailure } from "#/api/errors";
import { checkSession } from "#/session/session";
import {
  OperatorUpdateSchema,
  OperatorUpdatesService,
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { keptKeys } from "#/device/person";
import { perPerson, syncOfPerson, usePerson, useSynced, type PersonTools } from "./sync-person";
import type { SyncState } from "./sync-store";
import { keptIds, useKeptIds } from "../send/storage-ids";

interface History {
  /** Newest first. */
  updates: readonly OperatorUpdate[];
  /** How to go on behind the last one; null: that was the last, undefined: not known. */
  cursor: string | null | undefined;
}

export interface OwnHistory {
  /** The person's own submissions with their outcomes, newest first. */
  updates: readonly OperatorUpdate[];
  syncedAt: Date | null;
  state: SyncState;
  error: unknown;
  refreshing: boolean;
  refetch: () => void;
  hasMore: boolean;
  loadMore: () => void;
  loadingMore: boolean;
}

/** So many are readable without a connection, and asked for at a time. */
const pageSize = 100;
const none: readonly OperatorUpdate[] = [];

const keptSchema = v.array(v.instance(Uint8Array));

/** The person's submissions, for whatever adds to them. */
export const historyOf = perPerson((tools) =>
  syncOfPerson<History>(tools, {
    key: keptKeys.history(tools.userId),
    fetch: async (known) => renewed(known, await fetchPage(tools, "")),
    encode: ({ updates }) =>
      updates.slice(0, pageSize).map((update) => toBinary(OperatorUpdateSchema, update)),
    decode: readHistory,
  }),
);

/** Null for what was damaged: the server has it all. */
export function readHistory(stored: unknown): History | null {
  const kept = v.safeParse(keptSchema, stored);
  if (!kept.success) return null;
  try {
    const updates = kept.output.map((bytes) => fromBinary(OperatorUpdateSchema, bytes));
    return { updates, cursor: undefined };
  } catch {
    return null;
  }
}

async function fetchPage({ transport, userId }: PersonTools, cursor: string): Promise<History> {
  const { updates, page } = await createClient(OperatorUpdatesService, transport).listUpdates({
    page: { limit: pageSize, cursor },
  });
  // The server answers a person's own; of anybody else's nothing may be kept here.
  if (updates.some((update) => update.operatorId !== "" && update.operatorId !== userId)) {
    throw new Error("somebody else is signed in");
  }
  return { updates, cursor: page?.nextCursor || null };
}

/** The newest page, and behind it what had been loaded beyond, as far as nothing is missing between. */
export function renewed(known: History | null, page: History): History {
  const last = page.updates.at(-1);
  const at = known && last ? known.updates.findIndex((update) => update.id === last.id) : -1;
  if (!known || at === -1) return page;
  const beyond = known.updates.slice(at + 1);
  if (beyond.length === 0) return page;
  return { updates: [...page.updates, ...beyond], cursor: known.cursor };
}

/** A row that the server has just answered takes its place on top, or that of its older self. */
export function withUpdate(known: History | null, update: OperatorUpdate): History {
  const updates = known?.updates ?? none;
  const at = updates.findIndex((each) => each.id === update.id);
  return {
    cursor: known?.cursor,
    updates: at === -1 ? [update, ...updates] : updates.with(at, update),
  };
}

/** Entries without those that the server has by now: its answer was lost, or another tab sent them. */
export function withoutSent<Entry extends { clientId: string }>(
  entries: readonly Entry[],
  updates: readonly OperatorUpdate[],
): readonly Entry[] {
  const there = new Set(updates.map((update) => update.clientId));
  return entries.filter((entry) => !there.has(entry.clientId));
}

export function useOwnHistory(): OwnHistory {
  const person = usePerson();
  const { client } = person;
  const store = historyOf(person);
  const { value, ...rest } = useSynced(store);
  const [more, setMore] = useState<{ loading: boolean; error: unknown }>({
    loading: false,
    error: null,
  });
  const cursor = value?.cursor;
  const loadMore = async () => {
    if (!cursor || more.loading) return;
    setMore({ loading: true, error: null });
    try {
      const page = await fetchPage(person, cursor);
      await store.put((known) => ({
        updates: [...(known?.updates ?? none), ...unknownOf(known, page)],
        cursor: page.cursor,
      }));
      setMore({ loading: false, error: null });
    } catch (error) {
      if (toFailure(error).status === 401) checkSession(client);
      setMore({ loading: false, error });
    }
  };
  return {
    ...rest,
    error: rest.error ?? more.error,
    updates: value?.updates ?? none,
    refetch: () => void store.refresh(),
    hasMore: Boolean(cursor),
    loadMore: () => void loadMore(),
    loadingMore: more.loading,
  };
}

function unknownOf(known: History | null, page: History): OperatorUpdate[] {
  const ids = new Set(known?.updates.map((update) => update.id));
  return page.updates.filter((update) => !ids.has(update.id));
}

/** Older rejections are no news, also on a phone that is used for the first time. */
const newsMs = 14 * 24 * 60 * 60 * 1000;

const seenOf = perPerson(({ userId }) => keptIds(keptKeys.seen(userId)));
const correctedOf = perPerson(({ userId }) => keptIds(keptKeys.corrected(userId)));

export interface Rejections {
  /** What was rejected lately and neither seen nor corrected on this device, newest first. */
  rejected: readonly OperatorUpdate[];
  /** Of which a corrected one was kept on this device, by the id of the rejected one. */
  corrected: ReadonlySet<string>;
  markSeen: (ids: readonly string[]) => void;
  markCorrected: (id: string) => void;
}

export function useRejected(): Rejections {
  const person = usePerson();
  const { value } = useSynced(historyOf(person));
  const seenStore = seenOf(person);
  const correctedStore = correctedOf(person);
  const seen = useKeptIds(seenStore);
  const answered = useKeptIds(correctedStore);
  const updates = value?.updates;
  const [opened] = useState(() => new Date());
  const corrected = useMemo(() => new Set(answered.ids), [answered]);
  const rejected = useMemo(() => {
    if (!seen.loaded || !answered.loaded || !updates) return none;
    return rejectedAmong(updates, new Set([...seen.ids, ...corrected]), opened);
  }, [updates, seen, answered.loaded, corrected, opened]);
  const markSeen = useCallback((ids: readonly string[]) => void seenStore.add(ids), [seenStore]);
  const markCorrected = useCallback(
    (id: string) => void correctedStore.add([id]),
    [correctedStore],
  );
  return { rejected, corrected, markSeen, markCorrected };
}

export function rejectedAmong(
  updates: readonly OperatorUpdate[],
  seen: ReadonlySet<string>,
  now: Date,
): readonly OperatorUpdate[] {
  return updates.filter(
    ({ id, status, reviewedAt }) =>
      status === UpdateStatus.REJECTED &&
      !seen.has(id) &&
      reviewedAt !== undefined &&
      now.getTime() - timestampDate(reviewedAt).getTime() < newsMs,
  );
}
