import { answerOf, doneOf } from "./database";

const oldDatabase = "hourmeter-outbox";
const oldStore = "entries";

/**
 * Hands what an older version kept over to `take`, person by person, and removes it once `take` has
 * stored it. What a tab of that version adds meanwhile stays for the next time.
 */
export async function takeOldEntries(
  take: (userId: string, entries: readonly unknown[]) => Promise<void>,
): Promise<void> {
  const database = await openOld();
  if (!database) return;
  try {
    const store = database.transaction(oldStore).objectStore(oldStore);
    const [keys, lists] = await Promise.all([answerOf(store.getAllKeys()), allOf(store)]);
    for (const [index, key] of keys.entries()) {
      if (typeof key !== "string") continue;
      const taken = asList(lists[index]);
      await take(key, taken);
      await removeTaken(database, key, taken);
    }
  } finally {
    database.close();
  }
}

const allOf = (store: IDBObjectStore) => answerOf<unknown[]>(store.getAll());

/** Null where there is none; it is not created for being looked for. */
function openOld(): Promise<IDBDatabase | null> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(oldDatabase);
    let missing = false;
    request.addEventListener("upgradeneeded", () => {
      missing = true;
      request.transaction?.abort();
    });
    request.addEventListener("success", () => {
      const database = request.result;
      if (database.objectStoreNames.contains(oldStore)) return resolve(database);
      database.close();
      resolve(null);
    });
    request.addEventListener("error", () => {
      if (missing) resolve(null);
      else reject(request.error ?? new Error("not opened"));
    });
  });
}

async function removeTaken(
  database: IDBDatabase,
  key: IDBValidKey,
  taken: readonly unknown[],
): Promise<void> {
  const transaction = database.transaction(oldStore, "readwrite");
  const done = doneOf(transaction);
  const store = transaction.objectStore(oldStore);
  const gone = new Set(taken.map((entry) => JSON.stringify(entry)));
  const left = asList(await answerOf<unknown>(store.get(key))).filter(
    (entry) => !gone.has(JSON.stringify(entry)),
  );
  if (left.length === 0) store.delete(key);
  else store.put(left, key);
  await done;
}

/** What is no list was damaged; it is handed over as it is. */
function asList(stored: unknown): readonly unknown[] {
  if (stored === undefined) return [];
  return Array.isArray(stored) ? stored : [stored];
}
