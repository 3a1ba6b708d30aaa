import { useTransport } from "@connectrpc/connect-query";
import type { Transport } from "@connectrpc/connect";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { toFailure } from "#/api/errors";
import { checkSession, sessionQuery, useSession, type User } from "#/session/session";
import { readKept, writeKept } from "#/device/database";
import { onForgotten } from "#/device/person";
import { createSyncStore, type Synced, type SyncStore } from "./sync-store";
import { plainChannel } from "../send/tab-channel";

export interface PersonTools {
  transport: Transport;
  client: QueryClient;
  userId: string;
}

/**
 * One of something for each person on this page, whoever asks for it first, until that person signs
 * out. `lastsLonger` is what would be lost with it.
 */
export function perPerson<Thing>(
  make: (tools: PersonTools) => Thing,
  lastsLonger: (thing: Thing) => boolean = () => false,
) {
  // By transport too, so that work which ends late, for a page that is gone, takes nothing away from
  // the one on screen.
  const made = new Map<string, Map<Transport, Thing>>();
  onForgotten((userId) => {
    const things = made.get(userId) ?? [];
    made.set(userId, new Map([...things].filter(([, thing]) => lastsLonger(thing))));
  });
  return (tools: PersonTools): Thing => {
    const { transport, userId } = tools;
    const things = made.get(userId) ?? new Map<Transport, Thing>();
    made.set(userId, things);
    const known = things.get(transport);
    if (known !== undefined) return known;
    const thing = make(tools);
    things.set(transport, thing);
    return thing;
  };
}

/** The person whose screen this is. */
export function usePerson(): PersonTools {
  const transport = useTransport();
  const client = useQueryClient();
  const userId = useSession()?.id ?? "";
  return { transport, client, userId };
}

/** A value on screen, kept fresh while it is. */
export function useSynced<Value>(store: SyncStore<Value>): Synced<Value> {
  useEffect(() => store.start(), [store]);
  return useSyncExternalStore(store.subscribe, store.state);
}

interface Source<Value> {
  key: string;
  fetch: (known: Value | null) => Promise<Value>;
  encode: (value: Value) => unknown;
  /** Null for what an older version kept, or what was damaged. */
  decode: (stored: unknown) => Value | null;
}

/** Keeps what the server has for one person on this device. */
export function syncOfPerson<Value>(
  { client, userId }: PersonTools,
  { key, fetch, encode, decode }: Source<Value>,
): SyncStore<Value> {
  const tabs = plainChannel(`hourmeter-${key}`);
  return createSyncStore<Value>({
    fetch: async (known) => {
      await confirmPerson(client, userId);
      return fetch(known);
    },
    async read() {
      const stored = await readKept(key);
      if (!isEnvelope(stored)) return null;
      const value = decode(stored.value);
      return value === null ? null : { value, syncedAt: stored.syncedAt };
    },
    async write({ value, syncedAt }) {
      // Whoever has signed out meanwhile leaves nothing behind.
      if (client.getQueryData<User | null>(sessionQuery.queryKey)?.id !== userId) return;
      await writeKept(key, { value: encode(value), syncedAt });
      tabs.announce();
    },
    onWritten: tabs.onChange,
    onError: (error) => {
      if (toFailure(error).status === 401) checkSession(client);
    },
  });
}

function isEnvelope(stored: unknown): stored is { value: unknown; syncedAt: Date } {
  return (
    typeof stored === "object" &&
    stored !== null &&
    "value" in stored &&
    "syncedAt" in stored &&
    stored.syncedAt instanceof Date
  );
}

/** Another tab may have signed somebody else in: theirs must never be kept as this person's. */
async function confirmPerson(client: QueryClient, userId: string): Promise<void> {
  const user = await client.fetchQuery({ ...sessionQuery, staleTime: 10_000 });
  if (user?.id !== userId) throw new Error("somebody else is signed in");
}
