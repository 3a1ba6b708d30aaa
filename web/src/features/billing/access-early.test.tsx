import { createRouterTransport } from "@connectrpc/connect";
import { act, screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { BillingService } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import type * as Idle from "#/shared/idle";
import { owner, renderApp, stubRest } from "#/test/render-app";
import { aPaused } from "#/test/subscription";

const idle = vi.hoisted(() => ({ work: [] as Array<() => void> }));
vi.mock("#/shared/idle", async (original) => ({
  ...(await original<typeof Idle>()),
  whenIdle: (work: () => void) => void idle.work.push(work),
  afterFrame: (work: () => void) => work(),
}));

const banner = /^Your subscription is paused/;

async function open(settingsLoaded: Promise<void>) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const transport = createRouterTransport(({ service }) => {
    service(BillingService, { getSubscription: () => ({ subscription: aPaused() }) });
    service(AccountsService, {
      getCompanySettings: async () => {
        await settingsLoaded;
        return { settings: { companyName: "Acme Earthworks", timeZone: "America/Chicago" } };
      },
    });
  });
  await renderApp("/settings", transport);
  await screen.findByRole("heading", { level: 1 });
}

it("appears once the page's data is loaded, before the page is idle", async () => {
  const loaded = Promise.withResolvers<void>();
  await open(loaded.promise);
  await act(() => vi.importActual("#/features/billing/access-banner"));
  expect(screen.queryByText(banner)).toBeNull();
  loaded.resolve();
  expect(await screen.findByText(banner)).toBeTruthy();
  expect(idle.work.length).toBeGreaterThan(0);
});

it("appears on an idle page whose data is still loading", async () => {
  await open(new Promise(() => undefined));
  await waitFor(() => {
    act(() => {
      for (const work of idle.work.splice(0)) work();
    });
    expect(screen.getByText(banner)).toBeTruthy();
  });
});
