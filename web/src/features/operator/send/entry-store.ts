import {
  addEntry,
  changeEntry,
  listEntries,
  removeEntry,
  type EntryOwner,
  type EntryRecord,
} from "#/device/entries";
import { withTimeout } from "#/device/database";
import { readEntry, type OutboxEntry } from "./outbox-entry";

export interface EntryList {
  /** In the order they were made. */
  entries: readonly OutboxEntry[];
  /** False when an entry exists only in memory, or when the device refuses writes. */
  durable: boolean;
  /** Whether the entries on the device have been read. */
  listed: boolean;
  /** Number of entries on the device that this version can't read. They are left as they are. */
  unreadable: number;
}

/** The unsent entries of one user. */
export interface EntryStore {
  read: () => Promise<EntryList>;
  /** Adds an entry and removes the one it corrects. `added` is false when that one no longer exists. */
  add: (entry: OutboxEntry, replacedId: string | null) => Promise<EntryList & { added: boolean }>;
  change: (clientId: string, change: Partial<OutboxEntry>) => Promise<EntryList>;
  remove: (clientId: string) => Promise<EntryList>;
}

export interface EntryDisk {
  list: (userId: string) => Promise<EntryRecord[]>;
  add: (owner: EntryOwner, entry: unknown, replaced: number | null) => Promise<EntryRecord | null>;
  change: (seq: number, change: (entry: unknown) => unknown) => Promise<void>;
  remove: (seq: number) => Promise<void>;
}

const device: EntryDisk = {
  list: listEntries,
  add: addEntry,
  change: changeEntry,
  remove: removeEntry,
};

/** Safari may leave a request unanswered. It counts as failed after this time. */
const timeoutMs = 5_000;

interface SavedEntry {
  seq: number;
  entry: OutboxEntry;
}

/**
 * Stores entries on the device. Entries that the device refuses (private window, storage full) stay
 * in memory, and every later read tries to store them again.
 */
export function createEntryStore(owner: EntryOwner, disk: EntryDisk = device): EntryStore {
  let saved: readonly SavedEntry[] = [];
  let unreadable = 0;
  let diskWorks = true;
  let listed = false;
  /** Entries whose write failed or timed out. A write that timed out may still succeed. */
  const unsaved = new Map<string, OutboxEntry>();
  /** Changes of saved entries that could not be written. */
  const pendingChanges = new Map<string, Partial<OutboxEntry>>();
  /** Ids of saved entries that could not be removed. */
  const pendingRemovals = new Set<string>();
  // Steps run one at a time, so that none reads a half-finished state.
  let lastStep: Promise<unknown> = Promise.resolve();

  function runExclusive<T>(step: () => Promise<T>): Promise<T> {
    const next = lastStep.then(step);
    lastStep = next.catch(() => undefined);
    return next;
  }

  /** Returns whether the step succeeded on the device. */
  async function tryDisk(step: () => Promise<unknown>): Promise<boolean> {
    try {
      await withTimeout(step(), timeoutMs);
      diskWorks = true;
    } catch (error) {
      if (diskWorks) console.warn("The device did not store entries", error);
      diskWorks = false;
    }
    return diskWorks;
  }

  const seqOf = (clientId: string | null) =>
    saved.find(({ entry }) => entry.clientId === clientId)?.seq ?? null;

  async function readDisk(): Promise<void> {
    await tryDisk(async () => {
      const records = await disk.list(owner.userId);
      const readable = records.flatMap(({ seq, entry: stored }) => {
        const entry = readEntry(stored);
        return entry ? [{ seq, entry }] : [];
      });
      saved = readable;
      listed = true;
      unreadable = records.length - readable.length;
    });
    for (const { entry } of saved) markSaved(entry);
  }

  /** A timed-out write did succeed. Changes made since then remain to be written. */
  function markSaved(stored: OutboxEntry): void {
    const wanted = unsaved.get(stored.clientId);
    if (!wanted) return;
    unsaved.delete(stored.clientId);
    if (JSON.stringify(wanted) !== JSON.stringify(stored))
      pendingChanges.set(stored.clientId, wanted);
  }

  const hasPendingWrites = () =>
    unsaved.size + pendingChanges.size > 0 ||
    [...pendingRemovals].some((clientId) => seqOf(clientId) !== null);

  async function retryWrites(): Promise<void> {
    for (const [clientId, entry] of unsaved) {
      if (!(await tryDisk(() => disk.add(owner, entry, null)))) return;
      unsaved.delete(clientId);
    }
    for (const [clientId, change] of pendingChanges) {
      const seq = seqOf(clientId);
      if (seq !== null && !(await tryDisk(() => disk.change(seq, mergedWith(change))))) return;
      pendingChanges.delete(clientId);
    }
    for (const clientId of pendingRemovals) {
      const seq = seqOf(clientId);
      // A timed-out write may still store it, so the id is kept.
      if (seq === null) continue;
      if (!(await tryDisk(() => disk.remove(seq)))) return;
    }
  }

  function list(): EntryList {
    const onDisk = saved
      .filter(({ entry }) => !pendingRemovals.has(entry.clientId))
      .map(({ entry }) => ({ ...entry, ...pendingChanges.get(entry.clientId) }));
    const entries = [...onDisk, ...unsaved.values()];
    return { entries, unreadable, listed, durable: diskWorks && unsaved.size === 0 };
  }

  async function readAndList(): Promise<EntryList> {
    await readDisk();
    return list();
  }

  return {
    read: () =>
      runExclusive(async () => {
        await readDisk();
        if (!hasPendingWrites()) return list();
        await retryWrites();
        return readAndList();
      }),
    add: (entry, replacedId) =>
      runExclusive(async () => {
        const replaced = seqOf(replacedId);
        const exists = replacedId === null || replaced !== null || unsaved.has(replacedId);
        let added = exists && !pendingRemovals.has(replacedId ?? "");
        if (!added) return { ...(await readAndList()), added };
        const stored = await tryDisk(async () => {
          added = (await disk.add(owner, entry, replaced)) !== null;
        });
        if (!added) return { ...(await readAndList()), added };
        if (!stored) unsaved.set(entry.clientId, entry);
        if (replacedId !== null) {
          if (!stored) pendingRemovals.add(replacedId);
          unsaved.delete(replacedId);
        }
        return { ...(await listAfterWrite()), added };
      }),
    change: (clientId, change) =>
      runExclusive(async () => {
        const seq = seqOf(clientId);
        const entry = unsaved.get(clientId);
        if (entry) unsaved.set(clientId, { ...entry, ...change });
        if (seq !== null && !(await tryDisk(() => disk.change(seq, mergedWith(change))))) {
          pendingChanges.set(clientId, { ...pendingChanges.get(clientId), ...change });
        }
        return listAfterWrite();
      }),
    remove: (clientId) =>
      runExclusive(async () => {
        const seq = seqOf(clientId);
        // A timed-out write may still store it.
        if (unsaved.delete(clientId)) pendingRemovals.add(clientId);
        if (seq !== null && !(await tryDisk(() => disk.remove(seq)))) pendingRemovals.add(clientId);
        return listAfterWrite();
      }),
  };

  /** Skips the read when the last device operation failed. */
  async function listAfterWrite(): Promise<EntryList> {
    return diskWorks ? readAndList() : list();
  }
}

/** Keeps fields that only a newer version knows. */
function mergedWith(change: Partial<OutboxEntry>) {
  return (stored: unknown) => (typeof stored === "object" ? { ...stored, ...change } : stored);
}
