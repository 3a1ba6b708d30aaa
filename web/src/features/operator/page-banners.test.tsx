import { createRouterTransport } from "@connectrpc/connect";
import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { loadTexts } from "#/i18n";
import { createStore } from "#/shared/store";
import { renderPart } from "#/test/render-app";
import { OfflineBanner } from "./page-banners";
import type { OutboxState, SendBlocker } from "./send/outbox";

const nothing = () => undefined;
const never = () => Promise.reject(new Error("not expected"));

async function open(blockedBy: SendBlocker | null) {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  const state = createStore<OutboxState>({
    entries: [],
    resting: [],
    loaded: true,
    listed: true,
    durable: true,
    unreadable: 0,
    sendingId: null,
    nextTryAt: null,
    blockedBy,
  });
  const outbox = {
    state,
    submit: never,
    discard: never,
    flush: never,
    sendNow: never,
    start: () => nothing,
  };
  const synced = { syncedAt: new Date(), error: null, refreshing: false, refetch: nothing };
  const list = { ...synced, state: "ready" as const, machines: [] };
  await loadTexts("operator");
  const transport = createRouterTransport(nothing);
  await renderPart(<OfflineBanner page={{ list, outbox }} />, transport);
  await screen.findByText(/Equipment list:/);
}

it("names the lost connection and the age of the list", async () => {
  await open(null);
  expect(screen.getByText("No connection.")).toBeTruthy();
});

it("keeps only the age of the list while the bar of unsent updates says that there is no signal", async () => {
  await open("offline");
  expect(screen.queryByText("No connection.")).toBeNull();
});
