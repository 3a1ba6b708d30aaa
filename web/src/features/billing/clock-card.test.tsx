import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { SubscriptionSchema, SubscriptionStatus } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { SandboxService } from "#/api/gen/hourmeter/billing/v1/sandbox_pb";
import { sessionQuery } from "#/session/session";
import { currentToast } from "#/shared/toast/store";
import { owner, renderPart, stubRest } from "#/test/render-app";
import { SandboxClockCard } from "./clock-card";
import { nextEvent } from "./next-event";

const { TRIAL, ACTIVE, PAUSED, EXPIRED, CANCELED } = SubscriptionStatus;
const now = new Date(2026, 10, 21, 12);
const later = (days: number) => timestampFromDate(new Date(now.getTime() + days * 86_400_000));

type Dates = Partial<
  Record<"trialEnd" | "currentPeriodEnd" | "pauseEnd" | "graceEnd", ReturnType<typeof later>>
> & { cancelAtPeriodEnd?: boolean; clockDaysAhead?: number };

const subscription = (status: SubscriptionStatus, dates: Dates) =>
  create(SubscriptionSchema, {
    entitlements: { status },
    now: timestampFromDate(now),
    ...dates,
  });

describe("the next event", () => {
  it.each<[string, SubscriptionStatus, Dates, [string, number] | null]>([
    ["a trial ends", TRIAL, { trialEnd: later(27.5) }, ["trialEnd", 28]],
    ["in the same hour", TRIAL, { trialEnd: later(0.01) }, ["trialEnd", 1]],
    ["to the instant", TRIAL, { trialEnd: later(28) }, ["trialEnd", 28]],
    ["a renewal", ACTIVE, { currentPeriodEnd: later(30), trialEnd: later(3) }, ["renewal", 30]],
    ["a year's, as far as it goes", ACTIVE, { currentPeriodEnd: later(4000) }, ["renewal", 400]],
    [
      "the end of what is paid",
      ACTIVE,
      { currentPeriodEnd: later(9), cancelAtPeriodEnd: true },
      ["periodEnd", 9],
    ],
    [
      "the end of the grace period",
      ACTIVE,
      { currentPeriodEnd: later(-2), graceEnd: later(5) },
      ["graceEnd", 5],
    ],
    [
      "the end of a pause",
      PAUSED,
      { pauseEnd: later(92), currentPeriodEnd: later(10) },
      ["pauseEnd", 92],
    ],
    ["canceled", CANCELED, { currentPeriodEnd: later(3) }, ["periodEnd", 3]],
    ["canceled and over", CANCELED, { currentPeriodEnd: later(-3) }, null],
    ["over", EXPIRED, { trialEnd: later(-1) }, null],
  ])("%s", (_, status, dates, expected) => {
    const next = nextEvent(subscription(status, dates));
    expect(next && [next.event, next.days]).toEqual(expected);
  });

  it("is null without the clock", () => {
    expect(nextEvent(create(SubscriptionSchema, { trialEnd: later(3) }))).toBeNull();
  });
});

async function open(dates: Dates, role = "owner") {
  stubRest({ "GET /api/auth/user": { status: 200, body: { ...owner, role } } });
  const state = { moves: [] as number[], fail: false, gate: Promise.resolve() };
  const transport = createRouterTransport(({ service }) => {
    service(SandboxService, {
      moveSandboxClock: async ({ advanceDays }) => {
        state.moves.push(advanceDays);
        await state.gate;
        if (state.fail) throw new ConnectError("Not now.", Code.Internal);
        return {};
      },
    });
  });
  const { queryClient } = await renderPart(
    <SandboxClockCard subscription={subscription(TRIAL, { trialEnd: later(27.5), ...dates })} />,
    transport,
  );
  await queryClient.fetchQuery(sessionQuery);
  const refreshed = vi.spyOn(queryClient, "invalidateQueries");
  return { state, refreshed };
}

const press = async (name: string | RegExp) =>
  fireEvent.click(await screen.findByRole("button", { name }));

describe("the clock", () => {
  it("shows that payments are simulated, its date and how far ahead it is", async () => {
    await open({ clockDaysAhead: 1200 });
    expect(screen.getByRole("heading", { name: "Test payments" })).toBeTruthy();
    expect(screen.getByText("Nov 21, 2026")).toBeTruthy();
    expect(screen.getByText("1,200 days ahead")).toBeTruthy();
  });

  it("asks before the first move", async () => {
    const { state, refreshed } = await open({});
    await press("+7 days");
    expect(screen.getByRole("alertdialog").textContent).toContain("can't be turned back");
    await press("Cancel");
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(state.moves).toEqual([]);
    await press("+7 days");
    await press("Move clock");
    await waitFor(() => expect(currentToast()?.title).toBe("Clock moved"));
    expect(state.moves).toEqual([7]);
    expect(refreshed).toHaveBeenCalledWith();
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  });

  it("then moves immediately, once per press", async () => {
    const { state } = await open({ clockDaysAhead: 3 });
    let go: () => void = () => undefined;
    state.gate = new Promise((resolve) => {
      go = resolve;
    });
    await press("+1 day");
    await press("+30 days");
    await press("+1 day");
    go();
    await waitFor(() => expect(currentToast()?.title).toBe("Clock moved"));
    expect(currentToast()?.description).toBe("The billing clock moved forward 1 day.");
    expect(state.moves).toEqual([1]);
  });

  it("moves to what happens next", async () => {
    const { state } = await open({ clockDaysAhead: 3 });
    await press(/^To the trial's end, Dec 1[89], 2026$/);
    await waitFor(() => expect(state.moves).toEqual([28]));
  });

  it("shows why it did not move", async () => {
    const { state } = await open({ clockDaysAhead: 3 });
    state.fail = true;
    await press("+1 day");
    await waitFor(() =>
      expect(currentToast()).toMatchObject({
        tone: "failure",
        title: "Clock not moved",
        description: "Not now.",
      }),
    );
  });

  it("moves no further than the server allows", async () => {
    const { state } = await open({ clockDaysAhead: 3650 });
    await press("+30 days");
    expect(screen.getAllByText("The clock can be at most 10 years ahead.").length).toBe(2);
    expect(state.moves).toEqual([]);
  });

  it("is available to the owner only", async () => {
    await open({}, "manager");
    expect(await screen.findByText("Only the owner can move the clock.")).toBeTruthy();
    expect(screen.queryByRole("button")).toBeNull();
  });
});
