import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createSyncStore, type Kept } from "./sync-store";

const yesterday = new Date("2026-11-19T09:00:00Z");
const now = new Date("2026-11-20T09:00:00Z");

function setUp(kept: Kept<string[]> | null, fetch: (known: string[] | null) => Promise<string[]>) {
  const written: Kept<string[]>[] = [];
  const errors: unknown[] = [];
  let onDevice = kept;
  let hear: () => void = () => undefined;
  const asked = vi.fn<typeof fetch>(fetch);
  const store = createSyncStore<string[]>({
    read: () => Promise.resolve(onDevice),
    write: (next) => {
      written.push(next);
      return Promise.resolve();
    },
    fetch: asked,
    onWritten: (listener) => {
      hear = listener;
      return () => undefined;
    },
    onError: (error) => errors.push(error),
  });
  const otherTabWrites = (next: Kept<string[]>) => {
    onDevice = next;
    hear();
  };
  return { store, asked, written, errors, otherTabWrites };
}

beforeEach(() => vi.useFakeTimers({ now }));
afterEach(() => vi.useRealTimers());
const settle = () => vi.advanceTimersByTimeAsync(0);

it("shows what the device kept, then what the server has, and keeps that", async () => {
  let answer: (value: string[]) => void = () => undefined;
  const { store, written } = setUp(
    { value: ["old"], syncedAt: yesterday },
    () => new Promise((resolve) => (answer = resolve)),
  );
  expect(store.state()).toMatchObject({ value: null, state: "loading" });
  const stop = store.start();
  await settle();
  expect(store.state()).toMatchObject({ value: ["old"], state: "stale", refreshing: true });
  expect(store.state().syncedAt).toEqual(yesterday);
  answer(["new"]);
  await settle();
  expect(store.state()).toMatchObject({ value: ["new"], state: "fresh", refreshing: false });
  expect(written).toEqual([{ value: ["new"], syncedAt: now }]);
  stop();
});

it("stays readable without a connection, and asks again on a timer and when that is back", async () => {
  let offline = true;
  const { store, asked, errors } = setUp({ value: ["old"], syncedAt: yesterday }, () =>
    offline ? Promise.reject(new TypeError("Failed to fetch")) : Promise.resolve(["new"]),
  );
  const stop = store.start();
  await settle();
  expect(store.state()).toMatchObject({ value: ["old"], state: "stale" });
  expect(errors).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(asked).toHaveBeenCalledTimes(2);
  offline = false;
  window.dispatchEvent(new Event("online"));
  await settle();
  expect(store.state()).toMatchObject({ value: ["new"], state: "fresh", error: null });
  document.dispatchEvent(new Event("visibilitychange"));
  await settle();
  expect(asked).toHaveBeenCalledTimes(4);
  stop();
  window.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(120_000);
  expect(asked).toHaveBeenCalledTimes(4);
});

it("says so when nothing is kept and nothing comes", async () => {
  const { store } = setUp(null, () => Promise.reject(new TypeError("Failed to fetch")));
  const stop = store.start();
  await settle();
  expect(store.state()).toMatchObject({ value: null, state: "failed" });
  stop();
});

it("asks once for two that want it at the same time, and once more for one that comes late", async () => {
  const { store, asked } = setUp(null, () => Promise.resolve(["x"]));
  const stops = [store.start(), store.start()];
  await settle();
  expect(asked).toHaveBeenCalledTimes(1);
  void store.refresh();
  void store.refresh();
  await settle();
  expect(asked).toHaveBeenCalledTimes(2);
  for (const stop of stops) stop();
});

it("asks once more for what comes while it asks", async () => {
  const { store, asked } = setUp(null, async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return ["x"];
  });
  const stop = store.start();
  await vi.advanceTimersByTimeAsync(500);
  void store.refresh();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toHaveBeenCalledTimes(2);
  stop();
});

it("does not lose a row that comes while it asks", async () => {
  const answers = [["b"], ["a", "b"]];
  const { store, asked } = setUp(null, async () => {
    const answer = answers.shift() ?? [];
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return answer;
  });
  const seen: (string[] | null)[] = [];
  const stop = store.start();
  await vi.advanceTimersByTimeAsync(500);
  void store.put(() => ["a"]);
  store.subscribe(() => seen.push(store.state().value));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toHaveBeenCalledTimes(2);
  expect(seen.every((value) => value?.includes("a"))).toBe(true);
  expect(store.state().value).toEqual(["a", "b"]);
  stop();
});

it("takes a row in without asking, in the same moment once it knows the others", async () => {
  const { store, written } = setUp(null, () => Promise.resolve(["b"]));
  const stop = store.start();
  await settle();
  void store.put((known) => ["a", ...(known ?? [])]);
  expect(store.state().value).toEqual(["a", "b"]);
  await settle();
  expect(written.at(-1)?.value).toEqual(["a", "b"]);
  stop();
});

it("shows what another tab has fetched", async () => {
  const { store, otherTabWrites } = setUp(null, () => Promise.reject(new TypeError("x")));
  const stop = store.start();
  await settle();
  otherTabWrites({ value: ["theirs"], syncedAt: now });
  await settle();
  expect(store.state()).toMatchObject({ value: ["theirs"], state: "stale" });
  stop();
});

it("is not stopped by what the device can't read", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const written: string[][] = [];
  const store = createSyncStore<string[]>({
    read: () => Promise.reject(new Error("damaged")),
    write: ({ value }) => {
      written.push(value);
      return Promise.resolve();
    },
    fetch: () => Promise.resolve(["x"]),
    onWritten: () => () => undefined,
    onError: () => undefined,
  });
  await store.put((known) => ["a", ...(known ?? [])]);
  expect(store.state().value).toEqual(["a"]);
  await store.refresh();
  expect(store.state()).toMatchObject({ value: ["x"], state: "fresh", refreshing: false });
  expect(written).toEqual([["a"], ["x"]]);
});
