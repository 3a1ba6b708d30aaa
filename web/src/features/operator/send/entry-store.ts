import {
  addEntry,
  changeEntry,
  listEntries,
  removeEntry,
  type EntryOwner,
  type EntryRecord,
} from "#/device/entries";
import { inTime } from "#/device/database";
import { readEntry, type OutboxEntry } from "./outbox-entry";

export interface EntryList {
  /** In the order they were made. */
  entries: readonly OutboxEntry[];
  /** False when some of them, or whatever comes next, live only as long as the page. */
  durable: boolean;
  /** Whether what lies on the device has been read; before that nobody knows what does. */
  listed: boolean;
  /** How many lie here that this version can't read; they stay as they are. */
  unreadable: number;
}

/** Keeps one person's unsent entries. */
export interface EntryStore {
  read: () => Promise<EntryList>;
  /** Adds one, and takes the one that it corrects away; not `added`: that one is gone already. */
  add: (entry: OutboxEntry, replacedId: string | null) => Promise<EntryList & { added: boolean }>;
  change: (clientId: string, change: Partial<OutboxEntry>) => Promise<EntryList>;
  remove: (clientId: string) => Promise<EntryList>;
}

/** Where entries lie on the device. */
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

/** A device that says nothing (Safari has such moments) has not stored anything either. */
const patienceMs = 5_000;

interface Lying {
  seq: number;
  entry: OutboxEntry;
}

/**
 * Entries on the device, and in memory those that the device did not take (a private window, no
 * space left): they are tried again at every turn, and the person is told.
 */
export function createEntryStore(owner: EntryOwner, disk: EntryDisk = device): EntryStore {
  let lying: readonly Lying[] = [];
  let unreadable = 0;
  let works = true;
  let listed = false;
  /** Not on the device, as far as is known: it may still have taken it later than it was waited for. */
  const adrift = new Map<string, OutboxEntry>();
  /** On the device, but a change of it could not be written. */
  const changed = new Map<string, Partial<OutboxEntry>>();
  /** On the device, but it could not be removed. */
  const gone = new Set<string>();
  // One step after the other, so that no step sees half of another.
  let turn: Promise<unknown> = Promise.resolve();

  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const next = turn.then(step);
    turn = next.catch(() => undefined);
    return next;
  }

  /** Whether the device did it. */
  async function tried(step: () => Promise<unknown>): Promise<boolean> {
    try {
      await inTime(step(), patienceMs);
      works = true;
    } catch (error) {
      if (works) console.warn("The device keeps no entries", error);
      works = false;
    }
    return works;
  }

  const seqOf = (clientId: string | null) =>
    lying.find(({ entry }) => entry.clientId === clientId)?.seq ?? null;

  async function look(): Promise<void> {
    await tried(async () => {
      const records = await disk.list(owner.userId);
      const known = records.flatMap(({ seq, entry: stored }) => {
        const entry = readEntry(stored);
        return entry ? [{ seq, entry }] : [];
      });
      lying = known;
      listed = true;
      unreadable = records.length - known.length;
    });
    for (const { entry } of lying) takeAshore(entry);
  }

  /** A write that was only late has arrived by now; what has changed since is still to be written. */
  function takeAshore(stored: OutboxEntry): void {
    const meant = adrift.get(stored.clientId);
    if (!meant) return;
    adrift.delete(stored.clientId);
    if (JSON.stringify(meant) !== JSON.stringify(stored)) changed.set(stored.clientId, meant);
  }

  const behind = () =>
    adrift.size + changed.size > 0 || [...gone].some((clientId) => seqOf(clientId) !== null);

  /** Does once more what the device refused before. */
  async function catchUp(): Promise<void> {
    for (const [clientId, entry] of adrift) {
      if (!(await tried(() => disk.add(owner, entry, null)))) return;
      adrift.delete(clientId);
    }
    for (const [clientId, change] of changed) {
      const seq = seqOf(clientId);
      if (seq !== null && !(await tried(() => disk.change(seq, merged(change))))) return;
      changed.delete(clientId);
    }
    for (const clientId of gone) {
      const seq = seqOf(clientId);
      // It may still come, if it was stored late.
      if (seq === null) continue;
      if (!(await tried(() => disk.remove(seq)))) return;
    }
  }

  function list(): EntryList {
    const here = lying
      .filter(({ entry }) => !gone.has(entry.clientId))
      .map(({ entry }) => ({ ...entry, ...changed.get(entry.clientId) }));
    const entries = [...here, ...adrift.values()];
    return { entries, unreadable, listed, durable: works && adrift.size === 0 };
  }

  async function settled(): Promise<EntryList> {
    await look();
    return list();
  }

  return {
    read: () =>
      inTurn(async () => {
        await look();
        if (!behind()) return list();
        await catchUp();
        return settled();
      }),
    add: (entry, replacedId) =>
      inTurn(async () => {
        const replaced = seqOf(replacedId);
        const isThere = replacedId === null || replaced !== null || adrift.has(replacedId);
        let added = isThere && !gone.has(replacedId ?? "");
        if (!added) return { ...(await settled()), added };
        const stored = await tried(async () => {
          added = (await disk.add(owner, entry, replaced)) !== null;
        });
        if (!added) return { ...(await settled()), added };
        if (!stored) adrift.set(entry.clientId, entry);
        if (replacedId !== null) {
          if (!stored) gone.add(replacedId);
          adrift.delete(replacedId);
        }
        return { ...(await settledUnlessAdrift()), added };
      }),
    change: (clientId, change) =>
      inTurn(async () => {
        const seq = seqOf(clientId);
        const known = adrift.get(clientId);
        if (known) adrift.set(clientId, { ...known, ...change });
        if (seq !== null && !(await tried(() => disk.change(seq, merged(change))))) {
          changed.set(clientId, { ...changed.get(clientId), ...change });
        }
        return settledUnlessAdrift();
      }),
    remove: (clientId) =>
      inTurn(async () => {
        const seq = seqOf(clientId);
        // Also what the device did not take: it may yet appear there.
        if (adrift.delete(clientId)) gone.add(clientId);
        if (seq !== null && !(await tried(() => disk.remove(seq)))) gone.add(clientId);
        return settledUnlessAdrift();
      }),
  };

  /** After a refusal the device is not asked again at once: what is known says enough. */
  async function settledUnlessAdrift(): Promise<EntryList> {
    return works ? settled() : list();
  }
}

/** A change over what lies there, which may have more to it than this version knows. */
function merged(change: Partial<OutboxEntry>) {
  return (stored: unknown) => (typeof stored === "object" ? { ...stored, ...change } : stored);
}
