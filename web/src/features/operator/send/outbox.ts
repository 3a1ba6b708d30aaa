import type { OwnUpdate } from "../offline-data/own-update";
import { createStore, type Store } from "#/shared/store";
import type { EntryList, EntryStore } from "./entry-store";
import type { OutboxEntry } from "./outbox-entry";

/** Why nothing can be sent now: no line, no session of this person, the server's trouble, its limit. */
export type BlockedBy = "offline" | "session" | "server" | "limit";

/** What the server made of one entry. */
export type SendResult =
  | { kind: "sent"; update: OwnUpdate }
  | { kind: "refused"; reason: string }
  /** Nobody can be reached, or not now: the entries behind it wait too. */
  | { kind: "blocked"; by: BlockedBy; retryAfter: number | null }
  /** The server failed over this one; the others may still go. */
  | { kind: "failed"; reason: string };

export type Settled = Extract<SendResult, { kind: "sent" | "refused" }>;
type Outcome =
  | Settled
  /** It waits on this device; not `durable`: only for as long as the page is open. */
  | { kind: "queued"; durable: boolean }
  /** What it corrects was corrected, sent or discarded elsewhere meanwhile: it was not stored. */
  | { kind: "gone" };

export interface OutboxState extends EntryList {
  /** Those without the one that a submit is still working on: its button tells of it. */
  resting: readonly OutboxEntry[];
  loaded: boolean;
  /** The one that is on its way, by this tab or another. */
  sendingId: string | null;
  /** When the next try comes by itself; null: nothing waits, or only a sign-in helps. */
  nextTryAt: Date | null;
  blockedBy: BlockedBy | null;
}

/** Where an entry stands. Sent ones leave the list as their row of the server comes. */
export type Phase = "phone" | "sending" | "refused";

export function phaseOf({ sendingId }: Pick<OutboxState, "sendingId">, entry: OutboxEntry): Phase {
  if (entry.state === "refused") return "refused";
  return entry.clientId === sendingId ? "sending" : "phone";
}

export interface Outbox {
  state: Pick<Store<OutboxState>, "get" | "subscribe">;
  /**
   * Stores first, and says so, then sends; answers once it is known what became of it, or after some
   * seconds.
   */
  submit: (
    entry: OutboxEntry,
    replacedId: string | null,
    onStored?: () => void,
  ) => Promise<Outcome>;
  discard: (clientId: string) => Promise<void>;
  /** Sends what waits, unless the server has asked for a pause. */
  flush: () => Promise<void>;
  /** Sends what waits, because the person asks for it. */
  sendNow: () => Promise<void>;
  /** Begins sending and retrying; answers how to end it. */
  start: () => () => void;
}

interface Tools {
  store: EntryStore;
  /** `amend` stores what the sender corrects in it: every repeat must say the same. */
  send: (
    entry: OutboxEntry,
    amend: (change: Partial<OutboxEntry>) => Promise<void>,
  ) => Promise<SendResult>;
  /** Runs the work unless another tab is at it; answers whether it ran. */
  withLock: (work: () => Promise<void>) => Promise<boolean>;
  /** Called for every entry that was sent or refused, before it leaves the list. */
  onSettled: (entry: OutboxEntry, outcome: Settled, awaited: boolean) => Promise<void> | void;
  /** Called when an entry was stored on the device. */
  onStored?: () => void;
  /** Other tabs of the same person. */
  tabs: {
    announce: (sendingId: string | null) => void;
    onChange: (listener: (sendingId: string | null) => void) => () => void;
  };
}

const patienceMs = 4_000;
const firstRetryMs = 5_000;
const longestRetryMs = 60_000;
const longestLimitMs = 15 * 60_000;
/** After so many failures over one entry those behind it don't wait for it any more. */
const patientFailures = 3;

/** The server has failed over it again and again: the person may change it or let it go. */
export const isStuck = (entry: OutboxEntry) => entry.failures >= patientFailures;

/** So many failures in a row are the server's trouble, not the entries'. */
const mostFailuresInRow = 3;

interface Round {
  blockedBy: BlockedBy | null;
  retryAfter: number | null;
}

export function createOutbox(tools: Tools): Outbox {
  const { store, send, withLock, onSettled, tabs } = tools;
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
  let again = false;
  let started = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let delay = firstRetryMs;
  /** The server has asked to be left alone until then. */
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

  function sending(clientId: string | null): void {
    if (state.get().sendingId === clientId) return;
    set({ sendingId: clientId });
    tabs.announce(clientId);
  }

  function settle(clientId: string, outcome: Outcome): void {
    const answer = awaited.get(clientId);
    if (!answer) return;
    awaited.delete(clientId);
    set({});
    answer(outcome);
  }

  const queue = (clientId: string) =>
    settle(clientId, { kind: "queued", durable: state.get().durable });

  /** What the lists make of it must not keep an entry that the server has, or has judged. */
  async function tell(entry: OutboxEntry, outcome: Settled): Promise<void> {
    try {
      await onSettled(entry, outcome, awaited.has(entry.clientId));
    } catch (error) {
      console.warn("What became of an update could not be noted", error);
    }
  }

  async function refuse(entry: OutboxEntry, outcome: Extract<Settled, { kind: "refused" }>) {
    await change(store.change(entry.clientId, { state: "refused", reason: outcome.reason }));
    void tell(entry, outcome);
    settle(entry.clientId, outcome);
  }

  /** Whatever goes wrong in it, the next try comes. */
  async function attempt(entry: OutboxEntry): Promise<SendResult> {
    try {
      return await send(entry, (amended) => change(store.change(entry.clientId, amended)));
    } catch (error) {
      console.warn("An update could not be sent", error);
      return { kind: "blocked", by: "server", retryAfter: null };
    }
  }

  async function sendOne(entry: OutboxEntry): Promise<SendResult> {
    sending(entry.clientId);
    const result = await attempt(entry);
    switch (result.kind) {
      case "sent": {
        // In one go, so that on screen the server's row takes the entry's place.
        void tell(entry, result);
        set({ entries: state.get().entries.filter((each) => each.clientId !== entry.clientId) });
        await change(store.remove(entry.clientId));
        settle(entry.clientId, result);
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

  /** Sends what waits, oldest first. */
  async function sendWaiting(): Promise<Round> {
    const tried = new Set<string>();
    let inRow = 0;
    publish(await store.read());
    for (;;) {
      const next = (entry: OutboxEntry) => entry.state === "waiting" && !tried.has(entry.clientId);
      const entry = state.get().entries.find(next);
      if (!entry) return { blockedBy: inRow > 0 ? "server" : null, retryAfter: null };
      tried.add(entry.clientId);
      const result = await sendOne(entry);
      if (result.kind === "blocked") return { blockedBy: result.by, retryAfter: result.retryAfter };
      inRow = result.kind === "failed" ? inRow + 1 : 0;
      const impatient = result.kind === "failed" && entry.failures + 1 < patientFailures;
      if (impatient || inRow >= mostFailuresInRow) return { blockedBy: "server", retryAfter: null };
    }
  }

  async function sendInTurn(): Promise<Round> {
    let round: Round = { blockedBy: null, retryAfter: null };
    let ran = true;
    do {
      again = false;
      ran = await withLock(async () => {
        try {
          round = await sendWaiting();
        } finally {
          sending(null);
        }
      });
    } while (again && ran && round.blockedBy === null);
    if (!ran) publish(await store.read());
    return round;
  }

  async function run(): Promise<void> {
    clearTimeout(retry);
    set({ nextTryAt: null });
    let round: Round = { blockedBy: "server", retryAfter: null };
    try {
      round = await sendInTurn();
    } catch (error) {
      console.warn("Sending was broken off", error);
    }
    const waits = state.get().entries.some((entry) => entry.state === "waiting");
    const unsettled = waits || !state.get().durable;
    if (!unsettled) delay = firstRetryMs;
    set({ blockedBy: waits ? round.blockedBy : null });
    if (unsettled && started) plan(round, waits);
  }

  function plan({ blockedBy, retryAfter }: Round, waits: boolean): void {
    const asked = retryAfter === null ? 0 : Math.min(retryAfter * 1000, longestLimitMs);
    const wait = Math.max(delay, asked);
    delay = Math.min(delay * 2, longestRetryMs);
    if (blockedBy === "limit") notBefore = Date.now() + wait;
    // A new sign-in sends at once; until then a look now and then finds one made in another tab.
    const isPromised = waits && blockedBy !== "session";
    set({ nextTryAt: isPromised ? new Date(Date.now() + wait) : null });
    retry = setTimeout(() => void sendNow(), blockedBy === "session" ? longestRetryMs : wait);
  }

  function sendNow(): Promise<void> {
    notBefore = 0;
    again = true;
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
        settle(entry.clientId, { kind: "gone" });
        return outcome;
      }
      if (state.get().durable) {
        tools.onStored?.();
        onStored?.();
      }
      const patience = setTimeout(() => queue(entry.clientId), patienceMs);
      void flush().finally(() => queue(entry.clientId));
      return outcome.finally(() => clearTimeout(patience));
    },
    discard: (clientId) => change(store.remove(clientId)),
    flush,
    sendNow,
    start() {
      started = true;
      const now = () => {
        if (Date.now() >= notBefore) delay = firstRetryMs;
        void flush();
      };
      const whenSeen = () => {
        if (document.visibilityState === "visible") now();
      };
      const stay = (event: BeforeUnloadEvent) => {
        if (!state.get().durable && state.get().entries.length > 0) event.preventDefault();
      };
      const stopTabs = tabs.onChange((sendingId) => {
        // While this tab sends, it knows better.
        if (!running) set({ sendingId });
        void store.read().then(publish);
      });
      window.addEventListener("online", now);
      window.addEventListener("beforeunload", stay);
      document.addEventListener("visibilitychange", whenSeen);
      now();
      return () => {
        started = false;
        clearTimeout(retry);
        stopTabs();
        window.removeEventListener("online", now);
        window.removeEventListener("beforeunload", stay);
        document.removeEventListener("visibilitychange", whenSeen);
      };
    },
  };
}
