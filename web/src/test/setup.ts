import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";
import { loadAllLanguages, loadTexts, textsReady } from "#/i18n";
import { allAreas } from "#/i18n/areas";

await textsReady;
await loadTexts(...allAreas);
await loadAllLanguages();

// A page loads its code first; on a busy machine one second is too short for that.
configure({ asyncUtilTimeout: 30_000 });

// jsdom lays nothing out, so it has no media queries either.
window.matchMedia ??= (query) => ({
  matches: false,
  media: query,
  onchange: null,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  addListener: () => undefined,
  removeListener: () => undefined,
  dispatchEvent: () => false,
});
window.scrollTo = () => undefined;

// Files that run side by side are no tabs of one browser.
const worker = ` of ${process.env.VITEST_POOL_ID ?? ""}`;
window.BroadcastChannel = class extends BroadcastChannel {
  constructor(name: string) {
    super(name.endsWith(worker) ? name : name + worker);
  }
};

// Code on demand is there when it is first needed, as on a page that has settled.
vi.mock("#/shared/idle", () => ({ whenIdle: (work: () => void) => work() }));

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(cleanup);
