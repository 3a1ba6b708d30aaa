import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadPersistently } from "./lazy-part";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});
afterEach(() => vi.useRealTimers());

it("is loaded when the connection is back, and otherwise retried after some seconds", async () => {
  let failures = 2;
  const load = vi.fn<() => Promise<string>>(() => {
    failures -= 1;
    return failures < 0 ? Promise.resolve("part") : Promise.reject(new TypeError("Failed"));
  });
  const loading = loadPersistently(load);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(load).toHaveBeenCalledTimes(2);
  window.dispatchEvent(new Event("online"));
  expect(await loading).toBe("part");
  expect(load).toHaveBeenCalledTimes(3);
});
