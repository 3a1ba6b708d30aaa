import type { ServiceImpl } from "@connectrpc/connect";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect } from "vitest";
import { BillingService, type Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentToast } from "#/shared/toast/store";
import { catalogue } from "#/test/plans";
import { owner, renderApp, stubRest } from "#/test/render-app";

type Billing = Partial<ServiceImpl<typeof BillingService>>;

interface Options {
  total?: number;
  limit?: number;
  plansUp?: boolean;
  fail?: boolean;
  role?: "owner" | "manager";
  path?: string;
  billing?: (state: State) => Billing;
}

export interface State {
  subscription: Subscription;
  plansUp: boolean;
  fail: boolean;
  requests: number;
}

export async function open(subscription: Subscription, options: Options = {}) {
  const { total = 9, role = "owner", path = "/subscription", billing } = options;
  const state: State = {
    subscription,
    plansUp: options.plansUp ?? true,
    fail: options.fail ?? false,
    requests: 0,
  };
  stubRest({
    "GET /api/auth/user": { status: 200, body: { ...owner, role } },
    "GET /api/plans": () =>
      state.plansUp ? { status: 200, body: catalogue } : { status: 503, body: { message: "busy" } },
  });
  const transport = createRouterTransport(({ service }) => {
    service(BillingService, {
      getSubscription: () => {
        state.requests += 1;
        if (state.fail) throw new ConnectError("Not now.", Code.Internal);
        return { subscription: state.subscription };
      },
      ...billing?.(state),
    });
    service(EquipmentService, {
      getSummary: () => ({
        total,
        equipmentLimit: options.limit ?? state.subscription.entitlements?.equipmentLimit ?? -1,
      }),
    });
  });
  const { router } = await renderApp(path, transport);
  await screen.findByRole("heading", { level: 1, name: "Subscription" });
  return { state, router };
}

export const card = async (name: string) => {
  const heading = await screen.findByRole("heading", { level: 3, name });
  const item = heading.closest("li");
  if (!item) throw new Error("A plan is an item of the list");
  return within(item);
};
export const press = async (name: string | RegExp) =>
  fireEvent.click(await screen.findByRole("button", { name }));
export const dialog = async (name: string) =>
  within(await screen.findByRole("alertdialog", { name }));
export const expectToast = (title: string, description?: string | RegExp) =>
  waitFor(() => {
    expect(currentToast()?.title).toBe(title);
    if (description instanceof RegExp) expect(currentToast()?.description).toMatch(description);
    else if (description) expect(currentToast()?.description).toBe(description);
  });

/** Presses a button of a dialog. */
export const confirm = async (title: string, button: string) =>
  fireEvent.click((await dialog(title)).getByRole("button", { name: button }));

/** A server that refuses one call. */
export const failing = (method: keyof Billing, error: ConnectError) => ({
  billing: () => ({
    [method]: () => {
      throw error;
    },
  }),
});
