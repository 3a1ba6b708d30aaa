import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { changeKept, dropKept, inTime, readKept, writeKept } from "./database";

// Safari's IndexedDB sometimes answers nothing at all until the browser is started anew.
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

it("a device that says nothing has nothing and keeps nothing, and nobody waits for it", async () => {
  const answers = Promise.all([
    readKept("x"),
    writeKept("x", 1),
    changeKept("x", () => 1),
    dropKept("x"),
  ]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await answers).toEqual([undefined, false, undefined, undefined]);
});

it("is asked anew after a while", async () => {
  void readKept("x");
  await vi.advanceTimersByTimeAsync(10_000);
  const before = open.mock.calls.length;
  void readKept("x");
  await vi.advanceTimersByTimeAsync(2_000);
  expect(open.mock.calls.length).toBe(before + 1);
});

it("what comes in time is answered as it is", async () => {
  expect(await inTime(Promise.resolve(7), 100)).toBe(7);
  await expect(inTime(Promise.reject(new Error("x")), 100)).rejects.toThrow("x");
});
