// What a person's work needs on this device without a connection. It outlives the clearing of local
// and session storage at logout. One record an entry, so that a damaged one hurts no other.

const name = "hourmeter-device";
const version = 1;

export const entryStore = "entries";
const keptStore = "kept";

/** Longer than a slow phone needs; whoever waits for the page must not wait for a device that is stuck. */
const keptPatienceMs = 1_500;
const openPatienceMs = 3_000;

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  if (opened) return opened;
  const opening = openOnce();
  opened = opening;
  const forget = () => {
    if (opened === opening) opened = undefined;
  };
  // Safari's sometimes never answers; the next call asks anew, and what comes late is still used.
  void inTime(opening, openPatienceMs).catch(forget);
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
      request.result.createObjectStore(keptStore);
    });
    request.addEventListener("error", () => reject(request.error ?? new Error("not opened")));
    request.addEventListener("success", () => {
      const database = request.result;
      // Browsers close it when they are short of something; the next call opens it again.
      database.addEventListener("close", () => (opened = undefined));
      // A later version of the product waits for this.
      database.addEventListener("versionchange", () => {
        database.close();
        opened = undefined;
      });
      resolve(database);
    });
  });
}

/** Rejects when nothing has come in time. */
export async function inTime<T>(work: Promise<T>, patienceMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), patienceMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The answer of one request. */
export function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("no answer")));
  });
}

/** Resolves when all of a transaction is done: only then is anything stored. */
export function doneOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(transaction.error ?? new Error("transaction aborted"));
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", fail);
    transaction.addEventListener("error", fail);
  });
}

/**
 * Runs `work` in one transaction over one store, and answers once it is stored. `work` may only
 * await requests of that store.
 */
export async function inStore<T>(
  store: typeof entryStore | typeof keptStore,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => Promise<T>,
): Promise<T> {
  const transaction = await begin(store, mode);
  const done = doneOf(transaction);
  // When `work` fails, its own reason is the one to tell.
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
  // What was entered must survive a battery that dies; what was fetched can be fetched again.
  const durability = store === entryStore ? "strict" : "default";
  const database = await open();
  try {
    return database.transaction(store, mode, { durability });
  } catch {
    // The connection had been lost without a word (Safari, after a long sleep).
    opened = undefined;
    return (await open()).transaction(store, mode, { durability });
  }
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // It has ended already.
  }
}

/** A value kept under a key; undefined where there is none, or where the browser keeps or says nothing. */
export async function readKept(key: string): Promise<unknown> {
  try {
    return await inTime(
      inStore(keptStore, "readonly", (store) => answerOf<unknown>(store.get(key))),
      keptPatienceMs,
    );
  } catch {
    return undefined;
  }
}

/** Keeps a value that can be done without; answers whether it is stored. */
export async function writeKept(key: string, value: unknown): Promise<boolean> {
  try {
    const writing = inStore(keptStore, "readwrite", async (store) => {
      store.put(value, key);
      // So that it is stored even where the page ends before it hears of it.
      store.transaction.commit();
      return Promise.resolve();
    });
    await inTime(writing, keptPatienceMs);
    return true;
  } catch {
    return false;
  }
}

/** Reads and writes in one transaction; answers the new value, undefined when it is not stored. */
export async function changeKept(
  key: string,
  change: (value: unknown) => unknown,
): Promise<unknown> {
  try {
    const changing = inStore(keptStore, "readwrite", async (store) => {
      const next = change(await answerOf<unknown>(store.get(key)));
      store.put(next, key);
      return next;
    });
    return await inTime(changing, keptPatienceMs);
  } catch {
    return undefined;
  }
}

export async function dropKept(...keys: readonly string[]): Promise<void> {
  try {
    const dropping = inStore(keptStore, "readwrite", async (store) => {
      for (const key of keys) store.delete(key);
      // As in `writeKept`.
      store.transaction.commit();
      return Promise.resolve();
    });
    await inTime(dropping, keptPatienceMs);
  } catch {
    // Where nothing can be kept there is nothing to drop.
  }
}
