import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EntryStore } from "./entry-store";
import { createOutbox, phaseOf, type SendBlocker, type SendResult } from "./outbox";
import type { OutboxEntry } from "./outbox-entry";
import { ownUpdate } from "../operator.fixture";

const entry = (clientId: string, more: Partial<OutboxEntry> = {}): OutboxEntry => ({
  clientId,
  capturedAt: "2026-11-20T08:15:00.000Z",
  equipmentId: "e1",
  equipmentName: "Excavator",
  reading: 10,
  fuelAdded: null,
  fuelKind: "gas",
  notes: "",
  state: "waiting",
  reason: null,
  failures: 0,
  ...more,
});

const sent: SendResult = { kind: "sent", update: ownUpdate("u1") };
const refused: SendResult = { kind: "refused", reason: "Too large." };
const failed: SendResult = { kind: "failed", reason: "Something went wrong." };
const blockedBy = (by: SendBlocker, retryAfter: number | null = null): SendResult => ({
  kind: "blocked",
  by,
  retryAfter,
});
const blocked = blockedBy("offline");

function memory() {
  let stored: OutboxEntry[] = [];
  const state = { durable: true, listed: true };
  const list = () =>
    Promise.resolve({
      entries: [...stored],
      durable: state.durable,
      listed: state.listed,
      unreadable: 0,
    });
  const store: EntryStore = {
    read: list,
    add: async (added, replaced) => {
      if (replaced !== null && !stored.some((each) => each.clientId === replaced)) {
        return { ...(await list()), added: false };
      }
      stored = [...stored.filter((each) => each.clientId !== replaced), added];
      return { ...(await list()), added: true };
    },
    change: (clientId, change) => {
      stored = stored.map((each) => (each.clientId === clientId ? { ...each, ...change } : each));
      return list();
    },
    remove: (clientId) => {
      stored = stored.filter((each) => each.clientId !== clientId);
      return list();
    },
  };
  const put = (...entries: OutboxEntry[]) => (stored = entries);
  return { store, device: state, put, stored: () => stored };
}

type Answer = (
  entry: OutboxEntry,
  amend: (change: Partial<OutboxEntry>) => Promise<void>,
) => SendResult | Promise<SendResult>;

function setUp(
  answer: Answer,
  mayRun: () => boolean = () => true,
  onSettled: () => Promise<void> | void = () => undefined,
) {
  const { store, device, put, stored } = memory();
  const order: string[] = [];
  const settled: string[] = [];
  const announced: (string | null)[] = [];
  let hear: (sendingId: string | null) => void = () => undefined;
  const onStored = vi.fn<() => void>();
  const outbox = createOutbox({
    store,
    send: async (each, amend) => {
      order.push(each.clientId);
      return answer(each, amend);
    },
    withLock: async (work) => {
      if (mayRun()) await work();
      return mayRun();
    },
    onSettled: (each, outcome) => {
      settled.push(`${each.clientId} ${outcome.kind}`);
      return onSettled();
    },
    onStored,
    tabs: {
      announce: (sendingId) => announced.push(sendingId),
      onChange: (listener) => {
        hear = listener;
        return () => undefined;
      },
    },
  });
  const fromOtherTab = (sendingId: string | null) => hear(sendingId);
  return { outbox, order, settled, announced, fromOtherTab, onStored, device, store, put, stored };
}

const ids = (entries: readonly OutboxEntry[]) => entries.map((each) => each.clientId);

beforeEach(() => vi.useFakeTimers({ now: new Date("2026-11-20T09:00:00Z") }));
afterEach(() => vi.useRealTimers());

describe("sending", () => {
  it("sends waiting entries in order and removes them", async () => {
    const { outbox, order, put } = setUp(() => sent);
    put(entry("a"), entry("b"), entry("c"));
    await outbox.flush();
    expect(order).toEqual(["a", "b", "c"]);
    expect(outbox.state.get().entries).toEqual([]);
  });

  it("calls afterRemoval when the entry has left the device", async () => {
    const left: number[] = [];
    const afterRemoval = () => {
      left.push(stored().length);
      return Promise.resolve();
    };
    const { outbox, put, stored } = setUp(() => ({ ...sent, afterRemoval }));
    put(entry("a"), entry("b"));
    await outbox.sendNow();
    expect(left).toEqual([1, 0]);
  });

  it("stores an entry before it is sent and calls onStored", async () => {
    const seen: string[][] = [];
    const { outbox, stored, onStored } = setUp(() => {
      seen.push(ids(stored()));
      return sent;
    });
    expect(await outbox.submit(entry("a"), null)).toEqual(sent);
    expect(seen).toEqual([["a"]]);
    expect(onStored).toHaveBeenCalledOnce();
  });

  it("stores an amendment before the entry is sent", async () => {
    const seen: OutboxEntry[] = [];
    const right = "2026-11-20T09:00:00.000Z";
    const { outbox, put, stored } = setUp(async (_, amend) => {
      await amend({ capturedAt: right, clockChecked: true });
      seen.push(...stored());
      return blocked;
    });
    put(entry("a"));
    await outbox.flush();
    expect(seen).toMatchObject([{ capturedAt: right, clockChecked: true }]);
  });

  it("sends an entry once despite repeated flushes", async () => {
    const { outbox, order } = setUp(
      () => new Promise((resolve) => setTimeout(() => resolve(sent), 1_000)),
    );
    const first = outbox.submit(entry("a"), null);
    void outbox.flush();
    const second = outbox.submit(entry("b"), null);
    void outbox.flush();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await Promise.all([first, second])).toEqual([sent, sent]);
    expect(order).toEqual(["a", "b"]);
  });

  it("removes an entry in the same update that adds its server row", async () => {
    const seen: string[] = [];
    const { store, put } = memory();
    put(entry("a"));
    const outbox = createOutbox({
      store,
      send: () => Promise.resolve(sent),
      withLock: async (work) => {
        await work();
        return true;
      },
      // Like the history: shown immediately, stored later.
      onSettled: () => {
        seen.push(`row, ${outbox.state.get().entries.length} entry`);
        return new Promise((resolve) => {
          setTimeout(() => {
            seen.push(`stored, ${outbox.state.get().entries.length} entries`);
            resolve();
          }, 100);
        });
      },
      tabs: { announce: () => undefined, onChange: () => () => undefined },
    });
    void outbox.flush();
    await vi.advanceTimersByTimeAsync(200);
    expect(seen).toEqual(["row, 1 entry", "stored, 0 entries"]);
  });

  it("announces the entry being sent to other tabs", async () => {
    const { outbox, announced, put } = setUp(
      () => new Promise((resolve) => setTimeout(() => resolve(sent), 1_000)),
    );
    put(entry("a"), entry("b", { state: "refused", reason: "x" }), entry("c"));
    const done = outbox.flush();
    await vi.advanceTimersByTimeAsync(500);
    const phases = () =>
      outbox.state.get().entries.map((each) => phaseOf(outbox.state.get(), each));
    expect(phases()).toEqual(["sending", "refused", "phone"]);
    expect(announced).toEqual(["a"]);
    await vi.advanceTimersByTimeAsync(2_000);
    await done;
    expect(phases()).toEqual(["refused"]);
    expect(announced.at(-1)).toBeNull();
  });

  it("shows the entry that another tab is sending", async () => {
    const { outbox, fromOtherTab, put } = setUp(() => blocked);
    const stop = outbox.start();
    put(entry("a"));
    await vi.advanceTimersByTimeAsync(0);
    fromOtherTab("a");
    await vi.advanceTimersByTimeAsync(0);
    expect(outbox.state.get()).toMatchObject({ sendingId: "a", entries: [{ clientId: "a" }] });
    put();
    fromOtherTab(null);
    await vi.advanceTimersByTimeAsync(0);
    expect(outbox.state.get()).toMatchObject({ sendingId: null, entries: [] });
    stop();
  });

  it("waits while another tab sends", async () => {
    let free = false;
    const { outbox, order, put } = setUp(
      () => sent,
      () => free,
    );
    put(entry("a"));
    const stop = outbox.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual([]);
    expect(ids(outbox.state.get().entries)).toEqual(["a"]);
    free = true;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(order).toEqual(["a"]);
    stop();
  });

  it("sends 500 waiting entries once each and in order", async () => {
    const { outbox, order, put } = setUp(() => sent);
    const all = Array.from({ length: 500 }, (_, index) => `c${index}`);
    put(...all.map((clientId) => entry(clientId)));
    await outbox.flush();
    expect(order).toEqual(all);
    expect(outbox.state.get().entries).toEqual([]);
  });
});

describe("a blocked queue", () => {
  it("stops at the first entry and keeps all", async () => {
    const { outbox, order, put } = setUp(() => blocked);
    put(entry("a"), entry("b"));
    await outbox.flush();
    expect(order).toEqual(["a"]);
    expect(ids(outbox.state.get().entries)).toEqual(["a", "b"]);
    expect(outbox.state.get().blockedBy).toBe("offline");
  });

  it("is retried with backoff, and immediately when the connection returns", async () => {
    let answer: SendResult = blocked;
    const { outbox, order, put } = setUp(() => answer);
    put(entry("a"));
    const stop = outbox.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toHaveLength(1);
    expect(outbox.state.get().nextTryAt).toEqual(new Date("2026-11-20T09:00:05Z"));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(order).toHaveLength(2);
    expect(outbox.state.get().nextTryAt).toEqual(new Date("2026-11-20T09:00:15Z"));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order).toHaveLength(3);
    answer = sent;
    window.dispatchEvent(new Event("online"));
    await vi.advanceTimersByTimeAsync(0);
    expect(outbox.state.get()).toMatchObject({ entries: [], blockedBy: null, nextTryAt: null });
    stop();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(order).toHaveLength(4);
  });

  it("waits for the server's Retry-After", async () => {
    const { outbox, order, put } = setUp(() => blockedBy("limit", 40));
    put(entry("a"));
    const stop = outbox.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(outbox.state.get().blockedBy).toBe("limit");
    expect(outbox.state.get().nextTryAt).toEqual(new Date("2026-11-20T09:00:40Z"));
    await vi.advanceTimersByTimeAsync(39_000);
    expect(order).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(order).toHaveLength(2);
    stop();
  });

  it("shows no next retry while a sign-in is needed, and resumes after it", async () => {
    let answer: SendResult = blockedBy("session");
    const { outbox, put } = setUp(() => answer);
    put(entry("a"));
    const stop = outbox.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(outbox.state.get()).toMatchObject({ blockedBy: "session", nextTryAt: null });
    answer = sent;
    await outbox.flush();
    expect(outbox.state.get()).toMatchObject({ blockedBy: null, entries: [] });
    stop();
  });

  it("resolves submit with queued while offline or after the timeout", async () => {
    const unreachable = setUp(() => blocked);
    expect(await unreachable.outbox.submit(entry("a"), null)).toEqual({
      kind: "queued",
      durable: true,
    });
    const slow = setUp(() => new Promise(() => undefined));
    const outcome = slow.outbox.submit(entry("a"), null);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await outcome).toEqual({ kind: "queued", durable: true });
    expect(ids(slow.outbox.state.get().entries)).toEqual(["a"]);
  });

  it("excludes the entry being submitted from resting until it waits", async () => {
    const { outbox } = setUp(() => blocked);
    const counts: number[] = [];
    outbox.state.subscribe(() => counts.push(outbox.state.get().resting.length));
    await outbox.submit(entry("a"), null);
    expect(counts[0]).toBe(0);
    expect(counts.at(-1)).toBe(1);
    expect(ids(outbox.state.get().entries)).toEqual(["a"]);
  });
});

describe("server failures", () => {
  it("keeps a refused entry with its reason, sends the next, and does not retry it", async () => {
    const { outbox, order, settled, put } = setUp(({ clientId }) =>
      clientId === "a" ? refused : sent,
    );
    put(entry("a"), entry("b"));
    await outbox.flush();
    await outbox.flush();
    expect(order).toEqual(["a", "b"]);
    expect(settled).toEqual(["a refused", "b sent"]);
    expect(outbox.state.get().entries).toMatchObject([
      { clientId: "a", state: "refused", reason: "Too large." },
    ]);
  });

  it("never gives up on a failing entry", async () => {
    let answer: SendResult = failed;
    const { outbox, put } = setUp(() => answer);
    put(entry("a"), entry("b"));
    for (let round = 0; round < 40; round++) await outbox.flush();
    expect(outbox.state.get().entries).toMatchObject([
      { clientId: "a", state: "waiting", reason: "Something went wrong." },
      { clientId: "b", state: "waiting" },
    ]);
    expect(outbox.state.get().blockedBy).toBe("server");
    answer = sent;
    await outbox.flush();
    expect(outbox.state.get().entries).toEqual([]);
  });

  it("sends later entries after a few failures of one entry", async () => {
    const { outbox, order, put } = setUp(({ clientId }) => (clientId === "a" ? failed : sent));
    put(entry("a"), entry("b"));
    await outbox.flush();
    await outbox.flush();
    expect(order).toEqual(["a", "a"]);
    await outbox.flush();
    expect(order).toEqual(["a", "a", "a", "b"]);
    expect(outbox.state.get().entries).toMatchObject([{ clientId: "a", failures: 3 }]);
    expect(outbox.state.get().blockedBy).toBe(null);
  });

  it("treats consecutive failures as a server error", async () => {
    const { outbox, order, put } = setUp(() => failed);
    const tired = { failures: 7 };
    put(entry("a", tired), entry("b", tired), entry("c", tired), entry("d", tired));
    await outbox.flush();
    expect(order).toEqual(["a", "b", "c"]);
    expect(outbox.state.get().blockedBy).toBe("server");
  });
});

describe("a correction", () => {
  it("replaces the refused entry", async () => {
    const { outbox, put } = setUp(() => blocked);
    put(entry("a", { state: "refused", reason: "Too large." }));
    await outbox.submit(entry("b"), "a");
    expect(ids(outbox.state.get().entries)).toEqual(["b"]);
    await outbox.discard("b");
    expect(outbox.state.get().entries).toEqual([]);
  });
});

describe("errors outside of sending", () => {
  beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => undefined));

  it.each([
    ["throws", () => Promise.reject(new Error("damaged"))],
    ["never resolves", () => new Promise<void>(() => undefined)],
    [
      "throws synchronously",
      () => {
        throw new Error("damaged");
      },
    ],
  ])("do not cause a second send when onSettled %s", async (_, onSettled) => {
    const { outbox, order, put, stored } = setUp(() => sent, undefined, onSettled);
    put(entry("a"), entry("b"));
    void outbox.flush();
    await vi.advanceTimersByTimeAsync(0);
    await outbox.flush();
    expect(order).toEqual(["a", "b"]);
    expect(stored()).toEqual([]);
  });

  it("do not stop the retries", async () => {
    let broken = true;
    const { outbox, order, put } = setUp(() => {
      if (broken) throw new Error("broken");
      return sent;
    });
    put(entry("a"));
    const stop = outbox.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(outbox.state.get()).toMatchObject({ blockedBy: "server", sendingId: null });
    broken = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(order).toEqual(["a", "a"]);
    expect(outbox.state.get().entries).toEqual([]);
    stop();
  });

  it("include a failed read, which is retried", async () => {
    const { outbox, device, order, put } = setUp(() => sent);
    device.durable = false;
    device.listed = false;
    const stop = outbox.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(outbox.state.get()).toMatchObject({ loaded: true, listed: false, nextTryAt: null });
    device.durable = true;
    device.listed = true;
    put(entry("a"));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(order).toEqual(["a"]);
    expect(outbox.state.get().listed).toBe(true);
    stop();
  });

  it("do not report an unstored entry as durable", async () => {
    const { outbox, device } = setUp(() => blocked);
    device.durable = false;
    expect(await outbox.submit(entry("a"), null)).toEqual({ kind: "queued", durable: false });
  });
});

describe("a correction of an entry corrected in another tab", () => {
  it("is not added", async () => {
    const { outbox, order, stored } = setUp(() => sent);
    expect(await outbox.submit(entry("b"), "a")).toEqual({ kind: "conflict" });
    expect(order).toEqual([]);
    expect(stored()).toEqual([]);
  });
});

describe("a rate limit", () => {
  it("holds until it expires or the user sends manually", async () => {
    const { outbox, order, put } = setUp(() => blockedBy("limit", 40));
    put(entry("a"));
    const stop = outbox.start();
    await vi.advanceTimersByTimeAsync(0);
    window.dispatchEvent(new Event("online"));
    document.dispatchEvent(new Event("visibilitychange"));
    expect(await outbox.submit(entry("b"), null)).toMatchObject({ kind: "queued" });
    await outbox.flush();
    expect(order).toEqual(["a"]);
    expect(outbox.state.get().nextTryAt).toEqual(new Date("2026-11-20T09:00:40Z"));
    await outbox.sendNow();
    expect(order).toEqual(["a", "a"]);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(order).toEqual(["a", "a", "a"]);
    stop();
  });
});
