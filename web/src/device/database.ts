// Stores a user's offline data. It survives the clearing of local and session storage at logout.
// Each entry is a separate record, so that a damaged one does not affect others.

const name = "hourmeter-device";
const version = 1;

export const entryStore = "entries";
const cacheStore = "kept";

/** Longer than a slow phone needs, but short enough for a page that waits for it. */
const cacheTimeoutMs = 1_500;
const openTimeoutMs = 3_000;

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  if (opened) return opened;
  const opening = openOnce();
  opened = opening;
  const reset = () => {
    if (opened === opening) opened = undefined;
  };
  // Safari sometimes never responds. The next call opens it again; a late result is still used.
  void withTimeout(opening, openTimeoutMs).catch(reset);
  return opening;
}

function openOnce(): Promise<IDBDatabase> {
  return new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.addEventListener("upgradeneeded", () => {
      const entries = request.result.createObjectStore(entryStore, {
        keyPath: "seq",
        autoIncrement: true,
      });
      entries.createIndex("userId", "userId");
      request.result.createObjectStore(cacheStore);
    });
    request.addEventListener("error", () => reject(request.error ?? new Error("not opened")));
    request.addEventListener("success", () => {
      const database = request.result;
      // Browsers close the database when resources are low; the next call opens it again.
      database.addEventListener("close", () => (opened = undefined));
      // A later version of the product waits until this connection is closed.
      database.addEventListener("versionchange", () => {
        database.close();
        opened = undefined;
      });
      resolve(database);
    });
  });
}

/** Rejects if `work` is not done in time. */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), timeoutMs);
  });
  return Promise.race([work, timedOut]).finally(() => clearTimeout(timer));
}

export function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("no answer")));
  });
}

/** Resolves when the transaction is complete: nothing is stored before. */
export function completionOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(transaction.error ?? new Error("transaction aborted"));
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", fail);
    transaction.addEventListener("error", fail);
  });
}

/**
 * Runs `work` in one transaction over one store and resolves when it is stored. `work` may only
 * await requests of that store.
 */
export async function inStore<T>(
  store: typeof entryStore | typeof cacheStore,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => Promise<T>,
): Promise<T> {
  const transaction = await begin(store, mode);
  const done = completionOf(transaction);
  // If `work` fails, its own error is thrown.
  done.catch(() => undefined);
  try {
    const result = await work(transaction.objectStore(store));
    await done;
    return result;
  } catch (error) {
    abort(transaction);
    throw error;
  }
}

async function begin(store: string, mode: IDBTransactionMode): Promise<IDBTransaction> {
  // Entries must survive a power loss; fetched data can be fetched again.
  const durability = store === entryStore ? "strict" : "default";
  const database = await open();
  try {
    return database.transaction(store, mode, { durability });
  } catch {
    // The connection was lost without an event (Safari, after a long sleep).
    opened = undefined;
    return (await open()).transaction(store, mode, { durability });
  }
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // The transaction has already ended.
  }
}

/** The value of a key; undefined if there is none or storage is not available. */
export async function readCached(key: string): Promise<unknown> {
  try {
    return await withTimeout(
      inStore(cacheStore, "readonly", (store) => resultOf<unknown>(store.get(key))),
      cacheTimeoutMs,
    );
  } catch {
    return undefined;
  }
}

/** Stores a replaceable value; returns whether it is stored. */
export async function writeCached(key: string, value: unknown): Promise<boolean> {
  try {
    const writing = inStore(cacheStore, "readwrite", async (store) => {
      store.put(value, key);
      // Commits explicitly, so that it is stored even if the page closes now.
      store.transaction.commit();
      return Promise.resolve();
    });
    await withTimeout(writing, cacheTimeoutMs);
    return true;
  } catch {
    return false;
  }
}

/** Reads and writes in one transaction; returns the new value, or undefined if it is not stored. */
export async function updateCached(
  key: string,
  change: (value: unknown) => unknown,
): Promise<unknown> {
  try {
    const changing = inStore(cacheStore, "readwrite", async (store) => {
      const next = change(await resultOf<unknown>(store.get(key)));
      store.put(next, key);
      return next;
    });
    return await withTimeout(changing, cacheTimeoutMs);
  } catch {
    return undefined;
  }
}

export async function deleteCached(...keys: readonly string[]): Promise<void> {
  try {
    const dropping = inStore(cacheStore, "readwrite", async (store) => {
      for (const key of keys) store.delete(key);
      // As in `writeCached`.
      store.transaction.commit();
      return Promise.resolve();
    });
    await withTimeout(dropping, cacheTimeoutMs);
  } catch {
    // Without storage there is nothing to delete.
  }
}
