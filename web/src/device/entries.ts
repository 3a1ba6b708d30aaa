import { resultOf, entryStore, inStore } from "./database";

/** The author of an entry. It is only sent while this user is signed in. */
export interface EntryOwner {
  userId: string;
  /** The name for signing in; null if unknown. */
  username: string | null;
  name: string | null;
}

export interface EntryRecord extends EntryOwner {
  /** The order of capture. */
  seq: number;
  /** Interpreted by the feature that made it; unreadable entries are not changed. */
  entry: unknown;
}

export interface UnsentOnDevice {
  userId: string;
  username: string | null;
  operatorName: string | null;
  unsent: number;
}

/** The identity of an entry. */
function idOf(entry: unknown): string {
  if (typeof entry === "object" && entry !== null && "clientId" in entry) {
    if (typeof entry.clientId === "string") return entry.clientId;
  }
  return JSON.stringify(entry);
}

const listeners = new Set<() => void>();

/** Registers a listener for added and removed entries and their people. Returns a function that removes it. */
export function onEntriesChanged(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Also called when the people change whose entries this phone sends. */
export function reportChange(): void {
  for (const listener of listeners) listener();
}

async function inEntries<T>(work: (store: IDBObjectStore) => Promise<T>): Promise<T> {
  const result = await inStore(entryStore, "readwrite", work);
  reportChange();
  return result;
}

/** A user's entries in the order of capture. */
export function listEntries(userId: string): Promise<EntryRecord[]> {
  // Some browsers have no IndexedDB in a private window.
  if (typeof indexedDB === "undefined") return Promise.resolve([]);
  return inStore(entryStore, "readonly", (store) => recordsOf(store, userId));
}

/**
 * Adds an entry and removes the one that it corrects, in one transaction. A repeat after a timeout
 * changes nothing. Returns the stored record, or null if the corrected entry no longer exists.
 */
export function addEntry(
  owner: EntryOwner,
  entry: unknown,
  replaced: number | null,
): Promise<EntryRecord | null> {
  return inEntries(async (store) => {
    const { userId, username, name } = owner;
    const records = await recordsOf(store, userId);
    const existing = records.find((record) => idOf(record.entry) === idOf(entry));
    if (existing) return existing;
    if (replaced !== null && !records.some((record) => record.seq === replaced)) return null;
    const record = { userId, username, name, entry };
    const seq = await resultOf(store.add(record));
    if (replaced !== null) store.delete(replaced);
    return { ...record, seq: Number(seq) };
  });
}

/** Changes an entry if it still exists; another tab may have removed it. */
export function changeEntry(seq: number, change: (entry: unknown) => unknown): Promise<void> {
  return inStore(entryStore, "readwrite", async (store) => {
    const record = await resultOf<EntryRecord | undefined>(store.get(seq));
    if (record) store.put({ ...record, entry: change(record.entry) });
  });
}

export function removeEntry(seq: number): Promise<void> {
  return inEntries((store) => {
    store.delete(seq);
    return Promise.resolve();
  });
}

/** The number of entries by user. Throws if storage is not available. */
export async function countEntries(): Promise<UnsentOnDevice[]> {
  const records = await inStore(entryStore, "readonly", (store) =>
    resultOf<EntryRecord[]>(store.getAll()),
  );
  const byPerson = new Map<string, UnsentOnDevice>();
  for (const { userId, username, name } of records) {
    const counted = byPerson.get(userId);
    byPerson.set(userId, {
      userId,
      username: username ?? counted?.username ?? null,
      operatorName: name ?? counted?.operatorName ?? null,
      unsent: (counted?.unsent ?? 0) + 1,
    });
  }
  return [...byPerson.values()];
}

function recordsOf(store: IDBObjectStore, userId: string): Promise<EntryRecord[]> {
  return resultOf<EntryRecord[]>(store.index("userId").getAll(userId));
}
