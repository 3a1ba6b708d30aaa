import { beforeEach, expect, it, vi } from "vitest";
import type { EntryRecord } from "#/device/entries";
import { createEntryStore, type EntryDisk } from "./entry-store";
import type { OutboxEntry } from "./outbox-entry";

const owner = { userId: "u1", username: "maria4821", name: "María Salazar" };

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

/** A device that can refuse or delay operations. */
function device() {
  const records = new Map<number, EntryRecord>();
  const state = { refuses: false, silent: false, slow: 0, seq: 0 };
  const act = <T>(step: () => T): Promise<T> => {
    if (state.silent) return new Promise(() => undefined);
    if (state.slow > 0) {
      return new Promise((resolve) => setTimeout(() => resolve(step()), state.slow));
    }
    if (state.refuses) return Promise.reject(new DOMException("full", "QuotaExceededError"));
    return Promise.resolve(step());
  };
  const put = (stored: unknown, person = owner) => {
    const record = { ...person, seq: ++state.seq, entry: stored };
    records.set(record.seq, record);
    return record;
  };
  const disk: EntryDisk = {
    list: (userId) => act(() => [...records.values()].filter((each) => each.userId === userId)),
    add: (person, stored, replaced) =>
      act(() => {
        if (replaced !== null && !records.delete(replaced)) return null;
        return put(stored, { ...owner, ...person, username: owner.username, name: owner.name });
      }),
    change: (seq, change) =>
      act(() => {
        const record = records.get(seq);
        if (record) records.set(seq, { ...record, entry: change(record.entry) });
      }),
    remove: (seq) => act(() => void records.delete(seq)),
  };
  return { disk, state, put, stored: () => [...records.values()].map((each) => each.entry) };
}

const ids = (entries: readonly OutboxEntry[]) => entries.map((each) => each.clientId);

beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => undefined));

it("keeps the entries of each user in order", async () => {
  const { disk, put } = device();
  const store = createEntryStore(owner, disk);
  await store.add(entry("a"), null);
  put(entry("x"), { ...owner, userId: "u2" });
  const { entries, durable } = await store.add(entry("b"), null);
  expect(ids(entries)).toEqual(["a", "b"]);
  expect(durable).toBe(true);
});

it("counts unreadable entries and leaves them unchanged", async () => {
  const { disk, put, stored } = device();
  const damaged = { clientId: 7 };
  const newer = { ...entry("n"), state: "parked" };
  put(damaged);
  put(newer);
  const store = createEntryStore(owner, disk);
  const list = await store.add(entry("a"), null);
  expect(ids(list.entries)).toEqual(["a"]);
  expect(list.unreadable).toBe(2);
  await store.change("a", { failures: 1 });
  await store.remove("a");
  expect(stored()).toEqual([damaged, newer]);
});

it("keeps unknown fields of a newer version when it changes an entry", async () => {
  const { disk, put, stored } = device();
  put({ ...entry("a"), photo: "p1" });
  const store = createEntryStore(owner, disk);
  await store.read();
  await store.change("a", { failures: 2 });
  expect(stored()).toMatchObject([{ clientId: "a", failures: 2, photo: "p1" }]);
});

it("reports an unsaved entry on a full device and saves it later", async () => {
  const { disk, state, stored } = device();
  const store = createEntryStore(owner, disk);
  await store.add(entry("a"), null);
  state.refuses = true;
  const full = await store.add(entry("b"), null);
  expect(ids(full.entries)).toEqual(["a", "b"]);
  expect(full.durable).toBe(false);
  state.refuses = false;
  const list = await store.read();
  expect(list.durable).toBe(true);
  expect(ids(list.entries)).toEqual(["a", "b"]);
  expect(stored()).toHaveLength(2);
});

it("keeps entries in memory without storage", async () => {
  const { disk, state } = device();
  state.refuses = true;
  const store = createEntryStore(owner, disk);
  expect((await store.read()).durable).toBe(false);
  await store.add(entry("a"), null);
  await store.add(entry("b"), null);
  await store.change("a", { state: "refused", reason: "x" });
  const corrected = await store.add(entry("c"), "a");
  expect(ids(corrected.entries)).toEqual(["b", "c"]);
  expect(ids((await store.remove("b")).entries)).toEqual(["c"]);
});

it("hides an entry that the device failed to remove", async () => {
  const { disk, state, stored } = device();
  const store = createEntryStore(owner, disk);
  await store.add(entry("a"), null);
  state.refuses = true;
  expect(ids((await store.remove("a")).entries)).toEqual([]);
  expect(ids((await store.read()).entries)).toEqual([]);
  state.refuses = false;
  await store.read();
  expect(stored()).toEqual([]);
});

it("keeps a change that the device refused", async () => {
  const { disk, state, stored } = device();
  const store = createEntryStore(owner, disk);
  await store.add(entry("a"), null);
  state.refuses = true;
  const list = await store.change("a", { state: "refused", reason: "Too large." });
  expect(list.entries).toMatchObject([{ state: "refused", reason: "Too large." }]);
  state.refuses = false;
  await store.read();
  expect(stored()).toMatchObject([{ state: "refused", reason: "Too large." }]);
});

it("times out when the device does not respond", async () => {
  vi.useFakeTimers();
  const { disk, state } = device();
  state.silent = true;
  const store = createEntryStore(owner, disk);
  const added = store.add(entry("a"), null);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await added).toMatchObject({ durable: false, entries: [{ clientId: "a" }] });
  vi.useRealTimers();
});

it("stores a timed-out write that succeeds later only once", async () => {
  vi.useFakeTimers();
  const { disk, state, stored } = device();
  const store = createEntryStore(owner, disk);
  await store.read();
  state.slow = 8_000;
  const added = store.add(entry("a"), null);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await added).toMatchObject({ durable: false, added: true });
  const changed = store.change("a", { failures: 1 });
  await vi.advanceTimersByTimeAsync(5_000);
  await changed;
  state.slow = 0;
  const list = await store.read();
  expect(list).toMatchObject({ durable: true, entries: [{ clientId: "a", failures: 1 }] });
  expect(stored()).toMatchObject([{ clientId: "a", failures: 1 }]);
  vi.useRealTimers();
});

it("removes an entry whose timed-out write succeeded later", async () => {
  vi.useFakeTimers();
  const { disk, state, stored } = device();
  const store = createEntryStore(owner, disk);
  state.slow = 8_000;
  const added = store.add(entry("a"), null);
  await vi.advanceTimersByTimeAsync(5_000);
  await added;
  state.refuses = true;
  state.slow = 0;
  expect(ids((await store.remove("a")).entries)).toEqual([]);
  await vi.advanceTimersByTimeAsync(5_000);
  state.refuses = false;
  expect(ids((await store.read()).entries)).toEqual([]);
  expect(stored()).toEqual([]);
  vi.useRealTimers();
});

it("reports whether the entries on the device have been read", async () => {
  const { disk, state, put } = device();
  put(entry("a"));
  state.refuses = true;
  const store = createEntryStore(owner, disk);
  expect(await store.read()).toMatchObject({ listed: false, durable: false, entries: [] });
  state.refuses = false;
  expect(await store.read()).toMatchObject({ listed: true, durable: true });
  state.refuses = true;
  expect(await store.read()).toMatchObject({ listed: true, entries: [{ clientId: "a" }] });
});

it("corrects an entry once when two tabs have it open", async () => {
  const { disk, stored } = device();
  const one = createEntryStore(owner, disk);
  await one.add(entry("a", { state: "refused", reason: "x" }), null);
  const other = createEntryStore(owner, disk);
  await other.read();
  expect(await one.add(entry("b"), "a")).toMatchObject({ added: true });
  const late = await other.add(entry("c"), "a");
  expect(late.added).toBe(false);
  expect(ids(late.entries)).toEqual(["b"]);
  expect(await other.add(entry("d"), "a")).toMatchObject({ added: false });
  expect(stored()).toMatchObject([{ clientId: "b" }]);
});
