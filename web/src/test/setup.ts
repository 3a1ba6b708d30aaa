import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";
import { loadAllLanguages, loadTexts, textsReady } from "#/i18n";
import { allAreas } from "#/i18n/areas";
import type * as Idle from "#/shared/idle";
import { toast } from "#/shared/toast/store";

await textsReady;
await loadTexts(...allAreas);
await loadAllLanguages();

// One second is too short for a page's code on a busy machine.
configure({ asyncUtilTimeout: 30_000 });

// jsdom has no media queries.
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
Element.prototype.scrollIntoView = () => undefined;

// Test files that run in parallel must not act as tabs of one browser.
const worker = ` of ${process.env.VITEST_POOL_ID ?? ""}`;
window.BroadcastChannel = class extends BroadcastChannel {
  constructor(name: string) {
    super(name.endsWith(worker) ? name : name + worker);
  }
};

// Lazy components are loaded in advance, as on a page that is idle.
vi.mock("#/shared/idle", async (original) => ({
  ...(await original<typeof Idle>()),
  whenIdle: (work: () => void) => work(),
  afterFrame: (work: () => void) => work(),
}));

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  toast.dismiss();
});

afterEach(cleanup);
