import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EntryStore } from "./entry-store";
import { createOutbox, type SendResult } from "./outbox";
import type { OutboxEntry } from "./outbox-entry";

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

const sent: SendResult = { kind: "sent", automatic: false };
const blocked: SendResult = { kind: "blocked" };
const refused: SendResult = { kind: "refused", reason: "Too large." };

function setUp(answer: (entry: OutboxEntry) => SendResult | Promise<SendResult>) {
  let stored: OutboxEntry[] = [];
  const store: EntryStore = {
    durable: () => true,
    read: () => Promise.resolve(stored),
    change: (change) => Promise.resolve((stored = change(stored))),
  };
  const order: string[] = [];
  const settled: string[] = [];
  const outbox = createOutbox({
    store,
    send: (each) => {
      order.push(each.clientId);
      return Promise.resolve(answer(each));
    },
    withLock: (work) => work(),
    onSettled: (each, outcome) => settled.push(`${each.clientId} ${outcome.kind}`),
    tabs: { announce: () => undefined, onChange: () => () => undefined },
  });
  return { outbox, order, settled, put: (...entries: OutboxEntry[]) => (stored = entries) };
}

const ids = (entries: readonly OutboxEntry[]) => entries.map((each) => each.clientId);

describe("outbox", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("sends what waits in the order it was made and keeps nothing of it", async () => {
    const { outbox, order, put } = setUp(() => sent);
    put(entry("a"), entry("b"), entry("c"));
    await outbox.flush();
    expect(order).toEqual(["a", "b", "c"]);
    expect(outbox.state().entries).toEqual([]);
  });

  it("stores an entry before it is sent", async () => {
    const seen: string[][] = [];
    const { outbox } = setUp(() => {
      seen.push(ids(outbox.state().entries));
      return sent;
    });
    expect(await outbox.submit(entry("a"), null)).toEqual(sent);
    expect(seen).toEqual([["a"]]);
  });

  it("stops at the first entry that can't be sent now, and keeps all", async () => {
    const { outbox, order, put } = setUp(() => blocked);
    put(entry("a"), entry("b"));
    await outbox.flush();
    expect(order).toEqual(["a"]);
    expect(ids(outbox.state().entries)).toEqual(["a", "b"]);
  });

  it("keeps a refused entry with the reason, sends the next, and does not repeat it", async () => {
    const { outbox, order, settled, put } = setUp(({ clientId }) =>
      clientId === "a" ? refused : sent,
    );
    put(entry("a"), entry("b"));
    await outbox.flush();
    await outbox.flush();
    expect(order).toEqual(["a", "b"]);
    expect(settled).toEqual(["a refused", "b sent"]);
    expect(outbox.state().entries).toMatchObject([
      { clientId: "a", state: "refused", reason: "Too large." },
    ]);
  });

  it("gives up on an entry the server keeps failing over, but not on the others", async () => {
    const { outbox, order, put } = setUp(({ clientId }) =>
      clientId === "a" ? { kind: "failed", reason: "Something went wrong." } : sent,
    );
    put(entry("a"), entry("b"));
    for (let round = 0; round < 7; round++) await outbox.flush();
    expect(order).toEqual(["a", "b", "a", "a", "a", "a"]);
    expect(outbox.state().entries).toMatchObject([{ clientId: "a", state: "refused" }]);
  });

  it("retries by itself, less and less often, and at once when the connection is back", async () => {
    let answer: SendResult = { kind: "blocked" };
    const { outbox, order, put } = setUp(() => answer);
    put(entry("a"));
    const stop = outbox.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(order).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(order).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(order).toHaveLength(3);
    answer = sent;
    window.dispatchEvent(new Event("online"));
    await vi.advanceTimersByTimeAsync(0);
    expect(outbox.state().entries).toEqual([]);
    stop();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(order).toHaveLength(4);
  });

  it("answers queued when nobody can be reached, or when it takes too long", async () => {
    const unreachable = setUp(() => blocked);
    expect(await unreachable.outbox.submit(entry("a"), null)).toEqual({ kind: "queued" });
    const slow = setUp(() => new Promise(() => undefined));
    const outcome = slow.outbox.submit(entry("a"), null);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await outcome).toEqual({ kind: "queued" });
    expect(ids(slow.outbox.state().entries)).toEqual(["a"]);
  });

  it("sends an entry once, however often it is pressed meanwhile", async () => {
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

  it("does not count the entry that is being submitted, until it has to wait", async () => {
    const { outbox } = setUp(() => blocked);
    const counts: number[] = [];
    outbox.subscribe(() => counts.push(outbox.state().resting.length));
    await outbox.submit(entry("a"), null);
    expect(counts[0]).toBe(0);
    expect(counts.at(-1)).toBe(1);
    expect(ids(outbox.state().entries)).toEqual(["a"]);
  });

  it("puts a correction in the place of the refused entry", async () => {
    const { outbox, put } = setUp(() => blocked);
    put(entry("a", { state: "refused", reason: "Too large." }));
    await outbox.submit(entry("b"), "a");
    expect(ids(outbox.state().entries)).toEqual(["b"]);
    await outbox.discard("b");
    expect(outbox.state().entries).toEqual([]);
  });
});
