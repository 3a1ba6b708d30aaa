import { answerOf, entryStore, inStore } from "./database";

/** Who made an entry. It is only ever sent while the server says that this person is signed in. */
export interface EntryOwner {
  userId: string;
  /** What the person signs in by; null when it is not known. */
  username: string | null;
  name: string | null;
}

export interface EntryRecord extends EntryOwner {
  /** The order in which entries were made. */
  seq: number;
  /** As the feature that made it reads it; what can't be read is left as it is. */
  entry: unknown;
}

export interface UnsentOnDevice {
  userId: string;
  username: string | null;
  operatorName: string | null;
  unsent: number;
}

/** Which entries are the same. */
function idOf(entry: unknown): string {
  if (typeof entry === "object" && entry !== null && "clientId" in entry) {
    if (typeof entry.clientId === "string") return entry.clientId;
  }
  return JSON.stringify(entry);
}

/** A person's entries in the order they were made. */
export function listEntries(userId: string): Promise<EntryRecord[]> {
  // Some browsers have none in a private window; then nothing can lie there.
  if (typeof indexedDB === "undefined") return Promise.resolve([]);
  return inStore(entryStore, "readonly", (store) => recordsOf(store, userId));
}

/**
 * Adds one, and takes the one that it corrects away, in one step; adding it again, after an answer
 * that came too late, changes nothing. Answers how it lies here; null: what it corrects is gone.
 */
export function addEntry(
  owner: EntryOwner,
  entry: unknown,
  replaced: number | null,
): Promise<EntryRecord | null> {
  return inStore(entryStore, "readwrite", async (store) => {
    const { userId, username, name } = owner;
    const records = await recordsOf(store, userId);
    const known = records.find((record) => idOf(record.entry) === idOf(entry));
    if (known) return known;
    if (replaced !== null && !records.some((record) => record.seq === replaced)) return null;
    const record = { userId, username, name, entry };
    const seq = await answerOf(store.add(record));
    if (replaced !== null) store.delete(replaced);
    return { ...record, seq: Number(seq) };
  });
}

/** Changes one that is still there; another tab may have removed it. */
export function changeEntry(seq: number, change: (entry: unknown) => unknown): Promise<void> {
  return inStore(entryStore, "readwrite", async (store) => {
    const record = await answerOf<EntryRecord | undefined>(store.get(seq));
    if (record) store.put({ ...record, entry: change(record.entry) });
  });
}

export function removeEntry(seq: number): Promise<void> {
  return inStore(entryStore, "readwrite", (store) => {
    store.delete(seq);
    return Promise.resolve();
  });
}

/** How many entries lie here, by person. Throws where the browser keeps nothing. */
export async function countEntries(): Promise<UnsentOnDevice[]> {
  const records = await inStore(entryStore, "readonly", (store) =>
    answerOf<EntryRecord[]>(store.getAll()),
  );
  const byPerson = new Map<string, UnsentOnDevice>();
  for (const { userId, username, name } of records) {
    const known = byPerson.get(userId);
    byPerson.set(userId, {
      userId,
      username: username ?? known?.username ?? null,
      operatorName: name ?? known?.operatorName ?? null,
      unsent: (known?.unsent ?? 0) + 1,
    });
  }
  return [...byPerson.values()];
}

function recordsOf(store: IDBObjectStore, userId: string): Promise<EntryRecord[]> {
  return answerOf<EntryRecord[]>(store.index("userId").getAll(userId));
}
