import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { updateCached, deleteCached, withTimeout, readCached, writeCached } from "./database";

// Safari's IndexedDB sometimes does not respond until the browser is restarted.
const open = vi.fn<() => EventTarget>(() => new EventTarget());

beforeEach(() => {
  vi.useFakeTimers();
  open.mockClear();
  vi.stubGlobal("indexedDB", { open });
});
afterEach(async () => {
  await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("reads and writes time out if the database does not respond", async () => {
  const answers = Promise.all([
    readCached("x"),
    writeCached("x", 1),
    updateCached("x", () => 1),
    deleteCached("x"),
  ]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await answers).toEqual([undefined, false, undefined, undefined]);
});

it("opens the database again after a timeout", async () => {
  void readCached("x");
  await vi.advanceTimersByTimeAsync(10_000);
  const before = open.mock.calls.length;
  void readCached("x");
  await vi.advanceTimersByTimeAsync(2_000);
  expect(open.mock.calls.length).toBe(before + 1);
});

it("passes results and errors through if they are in time", async () => {
  expect(await withTimeout(Promise.resolve(7), 100)).toBe(7);
  await expect(withTimeout(Promise.reject(new Error("x")), 100)).rejects.toThrow("x");
});
