import type { EntryStore } from "./entry-store";
import type { OutboxEntry } from "./outbox-entry";

/** What the server made of one entry. */
export type SendResult =
  | { kind: "sent"; automatic: boolean }
  | { kind: "refused"; reason: string }
  /** Nobody can be reached, or not now: the entries behind it wait too. */
  | { kind: "blocked" }
  /** The server failed over this one; the others may still go. */
  | { kind: "failed"; reason: string };

type Outcome = Exclude<SendResult, { kind: "blocked" | "failed" }> | { kind: "queued" };

export interface OutboxState {
  entries: readonly OutboxEntry[];
  /** Those without the one that a submit is still working on: its button tells of it. */
  resting: readonly OutboxEntry[];
  durable: boolean;
  loaded: boolean;
}

export interface Outbox {
  subscribe: (listener: () => void) => () => void;
  state: () => OutboxState;
  /** Stores first, then sends; answers once it is known what became of it, or after some seconds. */
  submit: (entry: OutboxEntry, replacedId: string | null) => Promise<Outcome>;
  discard: (clientId: string) => Promise<void>;
  flush: () => Promise<void>;
  /** Begins sending and retrying; answers how to end it. */
  start: () => () => void;
}

interface Tools {
  store: EntryStore;
  send: (entry: OutboxEntry) => Promise<SendResult>;
  withLock: (work: () => Promise<void>) => Promise<void>;
  /** Called for every entry that was sent or refused. */
  onSettled: (entry: OutboxEntry, outcome: Outcome) => void;
  /** Other tabs of the same person. */
  tabs: { announce: () => void; onChange: (listener: () => void) => () => void };
}

const patienceMs = 4_000;
const firstRetryMs = 5_000;
const longestRetryMs = 60_000;
const maxFailures = 5;

export function createOutbox({ store, send, withLock, onSettled, tabs }: Tools): Outbox {
  let state: OutboxState = { entries: [], resting: [], durable: true, loaded: false };
  let running: Promise<void> | null = null;
  let again = false;
  let started = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let delay = firstRetryMs;
  const listeners = new Set<() => void>();
  const awaited = new Map<string, (outcome: Outcome) => void>();

  function publish(entries: readonly OutboxEntry[]): void {
    const resting = entries.filter((entry) => !awaited.has(entry.clientId));
    state = { entries, resting, durable: store.durable(), loaded: true };
    for (const listener of listeners) listener();
  }

  async function change(step: (entries: OutboxEntry[]) => OutboxEntry[]): Promise<void> {
    publish(await store.change(step));
    tabs.announce();
  }

  const replace = (clientId: string, next: (entry: OutboxEntry) => OutboxEntry) =>
    change((entries) =>
      entries.map((entry) => (entry.clientId === clientId ? next(entry) : entry)),
    );

  const remove = (clientId: string) =>
    change((entries) => entries.filter((entry) => entry.clientId !== clientId));

  function settle(clientId: string, outcome: Outcome): void {
    const answer = awaited.get(clientId);
    if (!answer) return;
    awaited.delete(clientId);
    publish(state.entries);
    answer(outcome);
  }

  async function refuse(entry: OutboxEntry, reason: string): Promise<void> {
    await replace(entry.clientId, (known) => ({ ...known, state: "refused", reason }));
    onSettled(entry, { kind: "refused", reason });
    settle(entry.clientId, { kind: "refused", reason });
  }

  /** Sends what waits, oldest first. Answers whether the server could be reached. */
  async function sendWaiting(): Promise<boolean> {
    const tried = new Set<string>();
    for (;;) {
      const entries = await store.read();
      publish(entries);
      const entry = entries.find((each) => each.state === "waiting" && !tried.has(each.clientId));
      if (!entry) return true;
      tried.add(entry.clientId);
      const result = await send(entry);
      switch (result.kind) {
        case "sent":
          await remove(entry.clientId);
          onSettled(entry, result);
          settle(entry.clientId, result);
          break;
        case "refused":
          await refuse(entry, result.reason);
          break;
        case "failed":
          if (entry.failures + 1 >= maxFailures) {
            await refuse(entry, result.reason);
          } else {
            await replace(entry.clientId, (known) => ({ ...known, failures: known.failures + 1 }));
            settle(entry.clientId, { kind: "queued" });
          }
          break;
        case "blocked":
          return false;
      }
    }
  }

  async function run(): Promise<void> {
    clearTimeout(retry);
    let reached = true;
    do {
      again = false;
      await withLock(async () => {
        reached = await sendWaiting();
      });
    } while (again && reached);
    const left = state.entries.some((entry) => entry.state === "waiting");
    if (!left) delay = firstRetryMs;
    else if (started) {
      retry = setTimeout(() => void flush(), delay);
      delay = Math.min(delay * 2, longestRetryMs);
    }
  }

  function flush(): Promise<void> {
    again = true;
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => state,
    async submit(entry, replacedId) {
      const outcome = new Promise<Outcome>((resolve) => awaited.set(entry.clientId, resolve));
      await change((entries) => [...entries.filter((each) => each.clientId !== replacedId), entry]);
      const patience = setTimeout(() => settle(entry.clientId, { kind: "queued" }), patienceMs);
      void flush().finally(() => settle(entry.clientId, { kind: "queued" }));
      return outcome.finally(() => clearTimeout(patience));
    },
    discard: remove,
    flush,
    start() {
      started = true;
      const now = () => {
        delay = firstRetryMs;
        void flush();
      };
      const whenSeen = () => {
        if (document.visibilityState === "visible") now();
      };
      const stopTabs = tabs.onChange(() => void store.read().then(publish));
      window.addEventListener("online", now);
      document.addEventListener("visibilitychange", whenSeen);
      now();
      return () => {
        started = false;
        clearTimeout(retry);
        stopTabs();
        window.removeEventListener("online", now);
        document.removeEventListener("visibilitychange", whenSeen);
      };
    },
  };
}
