import type { OwnUpdate } from "../offline-data/own-update";
import { createStore, type Store } from "#/shared/store";
import type { EntryList, EntryStore } from "./entry-store";
import type { OutboxEntry } from "./outbox-entry";

/** Why nothing can be sent now: no connection, no session of this user, a server error, a rate limit. */
export type SendBlocker = "offline" | "session" | "server" | "limit";

export type SendResult =
  /**
   * `update` is null if a manager has removed the phone that has signed it, or its author.
   * `afterRemoval` runs when the entry has left this device.
   */
  | { kind: "sent"; update: OwnUpdate | null; afterRemoval?: () => Promise<void> }
  | { kind: "refused"; reason: string }
  /** The server is not available. The entries after this one wait too. */
  | { kind: "blocked"; by: SendBlocker; retryAfter: number | null }
  /** The server failed on this entry. The others may still succeed. */
  | { kind: "failed"; reason: string };

export type Settled = Extract<SendResult, { kind: "sent" | "refused" }>;
type Outcome =
  | Settled
  /** It waits on this device. If not `durable`, it exists only while the page is open. */
  | { kind: "queued"; durable: boolean }
  /** Not stored, because another tab corrected, sent or discarded the entry that it corrects. */
  | { kind: "conflict" };

export interface OutboxState extends EntryList {
  /** Entries except the one being submitted, whose state the submit button shows. */
  resting: readonly OutboxEntry[];
  loaded: boolean;
  /** The entry that this or another tab is sending. */
  sendingId: string | null;
  /** Time of the next automatic retry. Null when nothing waits or a sign-in is needed. */
  nextTryAt: Date | null;
  blockedBy: SendBlocker | null;
}

export type Phase = "phone" | "sending" | "refused";

export function phaseOf({ sendingId }: Pick<OutboxState, "sendingId">, entry: OutboxEntry): Phase {
  if (entry.state === "refused") return "refused";
  return entry.clientId === sendingId ? "sending" : "phone";
}

export interface Outbox {
  state: Pick<Store<OutboxState>, "get" | "subscribe">;
  /**
   * Stores the entry, calls `onStored`, then sends. Resolves with the outcome, or with `queued` after
   * 4 seconds.
   */
  submit: (
    entry: OutboxEntry,
    replacedId: string | null,
    onStored?: () => void,
  ) => Promise<Outcome>;
  discard: (clientId: string) => Promise<void>;
  /** Sends waiting entries, unless a rate limit is in force. */
  flush: () => Promise<void>;
  /** Sends waiting entries, also during a rate limit. */
  sendNow: () => Promise<void>;
  /** Starts sending and retrying. Returns a function that stops it. */
  start: () => () => void;
}

export interface OutboxOptions {
  store: EntryStore;
  /** `amend` stores a correction made while sending, because each retry must send the same content. */
  send: (
    entry: OutboxEntry,
    amend: (change: Partial<OutboxEntry>) => Promise<void>,
  ) => Promise<SendResult>;
  /** Runs the work unless another tab holds the lock. Returns whether it ran. */
  withLock: (work: () => Promise<void>) => Promise<boolean>;
  /** Called for each sent or refused entry before it leaves the list. */
  onSettled: (entry: OutboxEntry, outcome: Settled, awaited: boolean) => Promise<void> | void;
  onStored?: () => void;
  /** Other tabs of the same user. */
  tabs: {
    announce: (sendingId: string | null) => void;
    onChange: (listener: (sendingId: string | null) => void) => () => void;
  };
}

const submitTimeoutMs = 4_000;
const firstRetryMs = 5_000;
const longestRetryMs = 60_000;
const longestLimitMs = 15 * 60_000;
/** An entry with this many failures no longer blocks the entries after it. */
const failuresUntilStuck = 3;

/** The user may edit or discard a stuck entry. */
export const isStuck = (entry: OutboxEntry) => entry.failures >= failuresUntilStuck;

/** This many failures in a row count as a server error, not as faults of the entries. */
const maxFailuresInRow = 3;

interface Round {
  blockedBy: SendBlocker | null;
  retryAfter: number | null;
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { store, send, withLock, onSettled, tabs } = options;
  const state = createStore<OutboxState>({
    entries: [],
    resting: [],
    durable: true,
    listed: false,
    unreadable: 0,
    loaded: false,
    sendingId: null,
    nextTryAt: null,
    blockedBy: null,
  });
  let running: Promise<void> | null = null;
  let rerun = false;
  let started = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let delay = firstRetryMs;
  /** End of a rate limit, in milliseconds since the epoch. */
  let notBefore = 0;
  const awaited = new Map<string, (outcome: Outcome) => void>();

  function set(next: Partial<OutboxState>): void {
    const { entries } = { ...state.get(), ...next };
    const resting = entries.filter((entry) => !awaited.has(entry.clientId));
    state.set({ ...state.get(), ...next, resting });
  }

  const publish = (list: EntryList) => set({ ...list, loaded: true });

  function change(step: Promise<EntryList>): Promise<void> {
    return step.then((list) => {
      publish(list);
      tabs.announce(state.get().sendingId);
    });
  }

  function markSending(clientId: string | null): void {
    if (state.get().sendingId === clientId) return;
    set({ sendingId: clientId });
    tabs.announce(clientId);
  }

  function settle(clientId: string, outcome: Outcome): void {
    const resolve = awaited.get(clientId);
    if (!resolve) return;
    awaited.delete(clientId);
    set({});
    resolve(outcome);
  }

  const queue = (clientId: string) =>
    settle(clientId, { kind: "queued", durable: state.get().durable });

  /** An error in `onSettled` must not keep an entry in the queue that is settled. */
  async function report(entry: OutboxEntry, outcome: Settled): Promise<void> {
    try {
      await onSettled(entry, outcome, awaited.has(entry.clientId));
    } catch (error) {
      console.warn("Failed to process the outcome of an update", error);
    }
  }

  async function refuse(entry: OutboxEntry, outcome: Extract<Settled, { kind: "refused" }>) {
    await change(store.change(entry.clientId, { state: "refused", reason: outcome.reason }));
    void report(entry, outcome);
    settle(entry.clientId, outcome);
  }

  /** An exception counts as a server error, so that the retry is scheduled. */
  async function attempt(entry: OutboxEntry): Promise<SendResult> {
    try {
      return await send(entry, (amended) => change(store.change(entry.clientId, amended)));
    } catch (error) {
      console.warn("Failed to send an update", error);
      return { kind: "blocked", by: "server", retryAfter: null };
    }
  }

  async function sendOne(entry: OutboxEntry): Promise<SendResult> {
    markSending(entry.clientId);
    const result = await attempt(entry);
    switch (result.kind) {
      case "sent": {
        // No await in between, so that the server's row replaces the entry in the same render.
        void report(entry, result);
        set({ entries: state.get().entries.filter((each) => each.clientId !== entry.clientId) });
        await change(store.remove(entry.clientId));
        settle(entry.clientId, result);
        await result.afterRemoval?.();
        break;
      }
      case "refused":
        await refuse(entry, result);
        break;
      case "failed": {
        const failures = entry.failures + 1;
        await change(store.change(entry.clientId, { failures, reason: result.reason }));
        queue(entry.clientId);
        break;
      }
      case "blocked":
        break;
    }
    return result;
  }

  /** Sends waiting entries, oldest first. */
  async function sendWaiting(): Promise<Round> {
    const attempted = new Set<string>();
    let failuresInRow = 0;
    publish(await store.read());
    for (;;) {
      const next = (entry: OutboxEntry) =>
        entry.state === "waiting" && !attempted.has(entry.clientId);
      const entry = state.get().entries.find(next);
      if (!entry) return { blockedBy: failuresInRow > 0 ? "server" : null, retryAfter: null };
      attempted.add(entry.clientId);
      const result = await sendOne(entry);
      if (result.kind === "blocked") return { blockedBy: result.by, retryAfter: result.retryAfter };
      failuresInRow = result.kind === "failed" ? failuresInRow + 1 : 0;
      const retriesFirst = result.kind === "failed" && entry.failures + 1 < failuresUntilStuck;
      if (retriesFirst || failuresInRow >= maxFailuresInRow)
        return { blockedBy: "server", retryAfter: null };
    }
  }

  async function sendWithLock(): Promise<Round> {
    let round: Round = { blockedBy: null, retryAfter: null };
    let ran = true;
    do {
      rerun = false;
      ran = await withLock(async () => {
        try {
          round = await sendWaiting();
        } finally {
          markSending(null);
        }
      });
    } while (rerun && ran && round.blockedBy === null);
    if (!ran) publish(await store.read());
    return round;
  }

  async function run(): Promise<void> {
    clearTimeout(retry);
    set({ nextTryAt: null });
    let round: Round = { blockedBy: "server", retryAfter: null };
    try {
      round = await sendWithLock();
    } catch (error) {
      console.warn("Sending was interrupted", error);
    }
    const waits = state.get().entries.some((entry) => entry.state === "waiting");
    const unsettled = waits || !state.get().durable;
    if (!unsettled) delay = firstRetryMs;
    set({ blockedBy: waits ? round.blockedBy : null });
    if (unsettled && started) scheduleRetry(round, waits);
  }

  function scheduleRetry({ blockedBy, retryAfter }: Round, waits: boolean): void {
    const requestedMs = retryAfter === null ? 0 : Math.min(retryAfter * 1000, longestLimitMs);
    const wait = Math.max(delay, requestedMs);
    delay = Math.min(delay * 2, longestRetryMs);
    if (blockedBy === "limit") notBefore = Date.now() + wait;
    // A sign-in in this tab starts sending. The slow retry detects a sign-in in another tab.
    const showsNextTry = waits && blockedBy !== "session";
    set({ nextTryAt: showsNextTry ? new Date(Date.now() + wait) : null });
    retry = setTimeout(() => void sendNow(), blockedBy === "session" ? longestRetryMs : wait);
  }

  function sendNow(): Promise<void> {
    notBefore = 0;
    rerun = true;
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  }

  const flush = () => (Date.now() < notBefore ? Promise.resolve() : sendNow());

  return {
    state,
    async submit(entry, replacedId, onStored) {
      const outcome = new Promise<Outcome>((resolve) => awaited.set(entry.clientId, resolve));
      const { added, ...list } = await store.add(entry, replacedId);
      publish(list);
      tabs.announce(state.get().sendingId);
      if (!added) {
        settle(entry.clientId, { kind: "conflict" });
        return outcome;
      }
      if (state.get().durable) {
        options.onStored?.();
        onStored?.();
      }
      const timeout = setTimeout(() => queue(entry.clientId), submitTimeoutMs);
      void flush().finally(() => queue(entry.clientId));
      return outcome.finally(() => clearTimeout(timeout));
    },
    discard: (clientId) => change(store.remove(clientId)),
    flush,
    sendNow,
    start() {
      started = true;
      const retryNow = () => {
        if (Date.now() >= notBefore) delay = firstRetryMs;
        void flush();
      };
      const onVisible = () => {
        if (document.visibilityState === "visible") retryNow();
      };
      const warnBeforeUnload = (event: BeforeUnloadEvent) => {
        if (!state.get().durable && state.get().entries.length > 0) event.preventDefault();
      };
      const stopTabs = tabs.onChange((sendingId) => {
        // While this tab sends, its own state is newer.
        if (!running) set({ sendingId });
        void store.read().then(publish);
      });
      window.addEventListener("online", retryNow);
      window.addEventListener("beforeunload", warnBeforeUnload);
      document.addEventListener("visibilitychange", onVisible);
      retryNow();
      return () => {
        started = false;
        clearTimeout(retry);
        stopTabs();
        window.removeEventListener("online", retryNow);
        window.removeEventListener("beforeunload", warnBeforeUnload);
        document.removeEventListener("visibilitychange", onVisible);
      };
    },
  };
}
