import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { reloadForRelease } from "./stale-code";

const reload = vi.fn<() => void>();

beforeEach(() => {
  sessionStorage.clear();
  reload.mockClear();
});
afterEach(() => vi.unstubAllGlobals());

const answer = (status: number) =>
  vi.stubGlobal("fetch", async () => new Response(null, { status }));

it("reloads the page when the server answers, once a minute", async () => {
  answer(200);
  await reloadForRelease(reload);
  await reloadForRelease(reload);
  expect(reload).toHaveBeenCalledTimes(1);
});

it("keeps the page when the server does not answer or is unavailable", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  await reloadForRelease(reload);
  answer(503);
  await reloadForRelease(reload);
  expect(reload).not.toHaveBeenCalled();
  answer(200);
  await reloadForRelease(reload);
  expect(reload).toHaveBeenCalledTimes(1);
});
