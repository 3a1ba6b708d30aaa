import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { reloadForRelease } from "./stale-code";

const reload = vi.fn<() => void>();
const entry = "https://hourmeter.example/assets/index-1111111.js";
const load = () => reloadForRelease(entry, reload);

beforeEach(() => {
  sessionStorage.clear();
  reload.mockClear();
});
afterEach(() => vi.unstubAllGlobals());

const answer = (status: number, script: string) =>
  vi.stubGlobal(
    "fetch",
    async () => new Response(`<script src="/assets/${script}"></script>`, { status }),
  );

it("reloads the page when the server has another release, once a minute", async () => {
  answer(200, "index-2222222.js");
  await load();
  await load();
  expect(reload).toHaveBeenCalledTimes(1);
});

it("keeps the page when the release is the same, as after a lost connection", async () => {
  answer(200, "index-1111111.js");
  await load();
  expect(reload).not.toHaveBeenCalled();
});

it("keeps the page when the server does not answer or is unavailable", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  await load();
  answer(503, "index-2222222.js");
  await load();
  expect(reload).not.toHaveBeenCalled();
  answer(200, "index-2222222.js");
  await load();
  expect(reload).toHaveBeenCalledTimes(1);
});
