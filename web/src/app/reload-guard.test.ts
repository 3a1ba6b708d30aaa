import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const script = readFileSync(join(import.meta.dirname, "../../public/reload-guard.js"), "utf8");
const safari =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";
const chrome =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

const storage = (refuses = false) => ({
  getItem: (name: string) => sessionStorage.getItem(name),
  setItem: (name: string, value: string) => {
    if (refuses) throw new DOMException("full", "QuotaExceededError");
    sessionStorage.setItem(name, value);
  },
});

/** Runs the file as a browser would; returns how often it has reloaded the page. */
function load({ agent = safari, readyState = "complete", store = storage() } = {}) {
  const reload = vi.fn<() => void>();
  const loaded: Array<() => void> = [];
  // oxlint-disable-next-line typescript/no-implied-eval -- the file is a classic script, not a module
  const run = new Function(
    "navigator",
    "document",
    "location",
    "sessionStorage",
    "addEventListener",
    script,
  );
  run(
    { userAgent: agent },
    { readyState, getElementById: (id: string) => document.getElementById(id) },
    { reload },
    store,
    (_type: string, act: () => void) => loaded.push(act),
  );
  return { reload, finishLoading: () => loaded.forEach((act) => act()) };
}

const empty = '<div id="root"><div data-starting>Hourmeter</div></div>';

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = empty;
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a page that is still empty 3 s after it has loaded", () => {
  it("is reloaded once in WebKit browsers", () => {
    const { reload } = load();
    vi.advanceTimersByTime(2999);
    expect(reload).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it("is counted from the end of loading", () => {
    const { reload, finishLoading } = load({ readyState: "loading" });
    vi.advanceTimersByTime(60_000);
    expect(reload).not.toHaveBeenCalled();
    finishLoading();
    vi.advanceTimersByTime(3000);
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it("is reloaded only once per tab", () => {
    load();
    vi.advanceTimersByTime(3000);
    const second = load();
    vi.advanceTimersByTime(60_000);
    expect(second.reload).not.toHaveBeenCalled();
  });

  it("is not reloaded without storage", () => {
    const { reload } = load({ store: storage(true) });
    vi.advanceTimersByTime(60_000);
    expect(reload).not.toHaveBeenCalled();
  });

  it("is not reloaded in other browsers", () => {
    const { reload } = load({ agent: chrome });
    vi.advanceTimersByTime(60_000);
    expect(reload).not.toHaveBeenCalled();
  });
});

it("does not reload a page with content", () => {
  document.body.innerHTML = '<div id="root"><main>Dashboard</main></div>';
  const { reload } = load();
  vi.advanceTimersByTime(60_000);
  expect(reload).not.toHaveBeenCalled();
  expect(sessionStorage.length).toBe(0);
});
