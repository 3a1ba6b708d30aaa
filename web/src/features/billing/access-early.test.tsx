import { createRouterTransport } from "@connectrpc/connect";
import { act, screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { BillingService, type Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import type * as Idle from "#/shared/idle";
import { owner, renderApp, stubRest } from "#/test/render-app";
import { anActive, aPaused } from "#/test/subscription";
import { accessNotice } from "./access-notice";

const idle = vi.hoisted(() => ({ work: [] as Array<() => void> }));
vi.mock("#/shared/idle", async (original) => ({
  ...(await original<typeof Idle>()),
  whenIdle: (work: () => void) => void idle.work.push(work),
  afterFrame: (work: () => void) => work(),
}));

async function open(subscription: Subscription) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const transport = createRouterTransport(({ service }) => {
    service(BillingService, { getSubscription: () => ({ subscription }) });
  });
  await renderApp("/contact", transport);
  await screen.findByRole("heading", { level: 1 });
}

const becomeIdle = () =>
  act(() => {
    for (const work of idle.work.splice(0)) work();
  });
const banner = /^Your subscription is paused/;

it("waits for an idle page on the first visit", async () => {
  await open(aPaused());
  expect(screen.queryByText(banner)).toBeNull();
  await waitFor(() => {
    becomeIdle();
    expect(screen.getByText(banner)).toBeTruthy();
  });
  expect(accessNotice.get()).toBe("shown");
});

it("does not wait if the last page had it", async () => {
  accessNotice.set("shown");
  await open(aPaused());
  expect(await screen.findByText(banner)).toBeTruthy();
});

it("forgets the notice when access is back", async () => {
  accessNotice.set("shown");
  await open(anActive());
  await waitFor(() => expect(accessNotice.get()).toBe("none"));
  expect(screen.queryByText(banner)).toBeNull();
});
