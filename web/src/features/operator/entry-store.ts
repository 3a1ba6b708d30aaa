import { createStore, get, update, type UseStore } from "idb-keyval";
import { readEntries, type OutboxEntry } from "./outbox-entry";

type Change = (entries: OutboxEntry[]) => OutboxEntry[];

/** Keeps one person's unsent entries, in the order they were made. */
export interface EntryStore {
  read: () => Promise<OutboxEntry[]>;
  /** Reads and writes in one transaction, so that two tabs can't lose each other's entries. */
  change: (change: Change) => Promise<OutboxEntry[]>;
  /** False when the browser offers no storage and entries live only as long as the page. */
  durable: () => boolean;
}

let database: UseStore | undefined;

/** IndexedDB, one key a person; memory where the browser refuses it (some private windows). */
export function createEntryStore(userId: string): EntryStore {
  let memory: OutboxEntry[] | null = null;

  const inMemory = (change: Change): OutboxEntry[] => (memory = change(memory ?? []));

  return {
    durable: () => memory === null,
    async read() {
      if (memory) return memory;
      try {
        database ??= createStore("hourmeter-outbox", "entries");
        return readEntries(await get(userId, database));
      } catch {
        return inMemory((entries) => entries);
      }
    },
    async change(change) {
      if (memory) return inMemory(change);
      let result: OutboxEntry[] = [];
      try {
        database ??= createStore("hourmeter-outbox", "entries");
        await update(userId, (stored: unknown) => (result = change(readEntries(stored))), database);
        return result;
      } catch {
        return inMemory(change);
      }
    },
  };
}
