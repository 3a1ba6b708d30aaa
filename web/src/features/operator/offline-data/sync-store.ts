import { toFailure } from "#/api/errors";

export type SyncState = "loading" | "fresh" | "stale" | "failed";

export interface Synced<Value> {
  value: Value | null;
  /** When the server last said so. */
  syncedAt: Date | null;
  /**
   * `fresh`: the server has answered since the page was opened, and not failed since. `stale`: what
   * this device kept. `failed`: nothing is kept and nothing came.
   */
  state: SyncState;
  error: unknown;
  refreshing: boolean;
}

export interface Kept<Value> {
  value: Value;
  syncedAt: Date;
}

interface Tools<Value> {
  /** From this device; null when nothing is kept. */
  read: () => Promise<Kept<Value> | null>;
  write: (kept: Kept<Value>) => Promise<void>;
  /** From the server, given what is known so far. */
  fetch: (known: Value | null) => Promise<Value>;
  /** Another tab has written. */
  onWritten: (listener: () => void) => () => void;
  onError: (error: unknown) => void;
}

export interface SyncStore<Value> {
  subscribe: (listener: () => void) => () => void;
  state: () => Synced<Value>;
  refresh: () => Promise<void>;
  /** Puts a value in without asking the server, e.g. one row that it has just answered. */
  put: (change: (value: Value | null) => Value) => Promise<void>;
  /** Begins keeping it fresh; answers how to end it. */
  start: () => () => void;
}

const retryMs = 30_000;

/**
 * What the server has, readable without it: shown from this device at once, asked anew at the
 * start, when the connection is back, when the page is seen again, and on a timer after a failure.
 */
export function createSyncStore<Value>(tools: Tools<Value>): SyncStore<Value> {
  let state: Synced<Value> = {
    value: null,
    syncedAt: null,
    state: "loading",
    error: null,
    refreshing: false,
  };
  const listeners = new Set<() => void>();
  let reading: Promise<void> | null = null;
  let read = false;
  let puts = 0;
  let running: Promise<void> | null = null;
  let again = false;
  let users = 0;
  let stop: () => void = () => undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;

  function set(next: Partial<Synced<Value>>): void {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  }

  /** What can't be read, now or ever, is no reason not to ask the server. */
  async function readAgain(): Promise<void> {
    let kept: Kept<Value> | null;
    try {
      kept = await tools.read();
    } catch (error) {
      console.warn("What this device kept could not be read", error);
      reading = null;
      return;
    }
    read = true;
    if (!kept) return;
    if (state.syncedAt && kept.syncedAt < state.syncedAt) return;
    set({ ...kept, state: state.state === "fresh" ? "fresh" : "stale" });
  }

  const readOnce = () => (reading ??= readAgain());

  async function put(change: (value: Value | null) => Value): Promise<void> {
    // Without a pause once it is there: whoever puts a row in may take another one away with it.
    if (!read) await readOnce();
    puts += 1;
    const value = change(state.value);
    const syncedAt = state.syncedAt ?? new Date();
    set({ value, syncedAt });
    await tools.write({ value, syncedAt });
  }

  async function ask(): Promise<void> {
    try {
      const asked = puts;
      const value = await tools.fetch(state.value);
      if (asked !== puts) {
        // It may be from before what has been put in meanwhile.
        again = true;
        return;
      }
      const syncedAt = new Date();
      set({ value, syncedAt, state: "fresh", error: null });
      await tools.write({ value, syncedAt });
    } catch (error) {
      set({ state: state.value === null ? "failed" : "stale", error });
      tools.onError(error);
      // Without a session every repeat is refused too; the new sign-in asks anew.
      if (users > 0 && toFailure(error).status !== 401) {
        retry = setTimeout(() => void refresh(), retryMs);
      }
    }
  }

  async function run(): Promise<void> {
    clearTimeout(retry);
    await readOnce();
    set({ refreshing: true });
    do {
      again = false;
      await ask();
    } while (again);
    set({ refreshing: false });
  }

  function refresh(): Promise<void> {
    if (running) again = true;
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  }

  function begin(): () => void {
    const now = () => void refresh();
    const whenSeen = () => {
      if (document.visibilityState === "visible") now();
    };
    const stopTabs = tools.onWritten(() => void readAgain());
    window.addEventListener("online", now);
    document.addEventListener("visibilitychange", whenSeen);
    now();
    return () => {
      clearTimeout(retry);
      stopTabs();
      window.removeEventListener("online", now);
      document.removeEventListener("visibilitychange", whenSeen);
    };
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => state,
    refresh,
    put,
    start() {
      users += 1;
      if (users === 1) stop = begin();
      return () => {
        users -= 1;
        if (users === 0) stop();
      };
    },
  };
}
