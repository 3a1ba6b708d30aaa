import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { useQuery, useTransport } from "@connectrpc/connect-query";
import { useQuery as useTanstackQuery } from "@tanstack/react-query";
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { BillingService, Tier } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { EventsService, Topic } from "#/api/gen/hourmeter/events/v1/events_pb";
import { NotificationsService } from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { unreadQuery } from "#/api/unread-notifications";
import { owner, renderPart, stubRest, visitor } from "#/test/render-app";
import { LiveUpdates } from "./live-updates";

function Shown() {
  const updates = useQuery(OperatorUpdatesService.method.listReview, {});
  const equipment = useQuery(EquipmentService.method.getSummary, {});
  return <p>{`${updates.data?.pendingCount} wait, ${equipment.data?.total} machines`}</p>;
}

function Plan() {
  const subscription = useQuery(BillingService.method.getSubscription, {});
  const equipment = useQuery(EquipmentService.method.getSummary, {});
  const tier = subscription.data?.subscription?.entitlements?.tier;
  return <p>{`plan ${tier} of ${equipment.data?.equipmentLimit}`}</p>;
}

function Unread() {
  const { data } = useTanstackQuery(unreadQuery(useTransport()));
  return <p>{`${data?.unread} unread`}</p>;
}

/** Opens the screen; the stream opens after `streamOpens`, and queries respond after `responds`. */
async function open({
  refuse = false,
  streamOpens = Promise.resolve(),
  responds = Promise.resolve(),
} = {}) {
  const state = { pending: 1, machines: 10, requests: [0, 0], streams: 0 };
  /** Reads the state at the request, and responds later. */
  const answer = async <T,>(read: T): Promise<T> => {
    await responds;
    return read;
  };
  let say: (changed: Topic[]) => void = () => undefined;
  const transport = createRouterTransport(({ service }) => {
    service(OperatorUpdatesService, {
      listReview: () => {
        state.requests[0] = (state.requests[0] ?? 0) + 1;
        return answer({ pendingCount: state.pending });
      },
    });
    service(EquipmentService, {
      getSummary: () => {
        state.requests[1] = (state.requests[1] ?? 0) + 1;
        return answer({ total: state.machines });
      },
    });
    service(EventsService, {
      async *watch() {
        state.streams += 1;
        if (refuse) throw new ConnectError("Please sign in.", Code.Unauthenticated);
        await streamOpens;
        yield { changed: [] };
        for (;;)
          yield {
            changed: await new Promise<Topic[]>((resolve) => (say = resolve)),
          };
      },
    });
  });
  const calls = stubRest({
    "GET /api/auth/user": () =>
      refuse && state.streams > 0 ? visitor : { status: 200, body: owner },
  });
  await renderPart(
    <>
      <LiveUpdates />
      <Shown />
    </>,
    transport,
  );
  return { state, calls, say: (changed: Topic[]) => say(changed) };
}

it("refetches everything when the stream opens, then only what has changed", async () => {
  const { state, say } = await open();
  await screen.findByText("1 wait, 10 machines");
  await waitFor(() => expect(state.requests).toEqual([2, 2]));
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  state.pending = 2;
  state.machines = 11;
  say([Topic.OPERATOR_UPDATES]);
  await screen.findByText("2 wait, 10 machines");
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  say([Topic.EQUIPMENT]);
  await screen.findByText("2 wait, 11 machines");
  expect(state.requests).toEqual([3, 3]);
  expect(state.streams).toBe(1);
});

it("misses no change between the first response and the stream", async () => {
  const stream = Promise.withResolvers<undefined>();
  const { state } = await open({ streamOpens: stream.promise });
  await screen.findByText("1 wait, 10 machines");
  state.pending = 3;
  state.machines = 12;
  stream.resolve(undefined);
  await screen.findByText("3 wait, 12 machines");
  expect(state.requests).toEqual([2, 2]);
});

it("does not keep a first response that was read before the stream opened", async () => {
  const stream = Promise.withResolvers<undefined>();
  const responses = Promise.withResolvers<undefined>();
  const { state } = await open({ streamOpens: stream.promise, responds: responses.promise });
  await waitFor(() => expect(state.requests).toEqual([1, 1]));
  state.pending = 4;
  state.machines = 13;
  stream.resolve(undefined);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(state.requests).toEqual([1, 1]);
  responses.resolve(undefined);
  await screen.findByText("4 wait, 13 machines");
  expect(state.requests).toEqual([2, 2]);
});

it("refetches only the subscription and the limit when the plan has changed", async () => {
  const plans: [Tier, Tier] = [Tier.BASIC, Tier.PROFESSIONAL];
  const state = { limit: 15, plan: plans[0], subscriptions: 0, summaries: 0, reviews: 0 };
  let say: (changed: Topic[]) => void = () => undefined;
  const transport = createRouterTransport(({ service }) => {
    service(OperatorUpdatesService, {
      listReview: () => {
        state.reviews += 1;
        return { pendingCount: 1 };
      },
    });
    service(EquipmentService, {
      getSummary: () => {
        state.summaries += 1;
        return { total: 3, equipmentLimit: state.limit };
      },
    });
    service(BillingService, {
      getSubscription: () => {
        state.subscriptions += 1;
        return { subscription: { entitlements: { tier: state.plan } } };
      },
    });
    service(EventsService, {
      async *watch() {
        yield { changed: [] };
        for (;;) yield { changed: await new Promise<Topic[]>((resolve) => (say = resolve)) };
      },
    });
  });
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  await renderPart(
    <>
      <LiveUpdates />
      <Shown />
      <Plan />
    </>,
    transport,
  );
  await screen.findByText("plan 1 of 15");
  await waitFor(() => expect([state.subscriptions, state.summaries]).toEqual([2, 2]));
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  state.plan = plans[1];
  state.limit = 30;
  say([Topic.SUBSCRIPTION]);
  await screen.findByText("plan 2 of 30");
  expect([state.subscriptions, state.summaries, state.reviews]).toEqual([3, 3, 2]);
});

it("refetches only the notifications when another device has read them", async () => {
  const state = { unread: 2, counts: 0, reviews: 0 };
  let say: (changed: Topic[]) => void = () => undefined;
  const transport = createRouterTransport(({ service }) => {
    service(OperatorUpdatesService, {
      listReview: () => {
        state.reviews += 1;
        return { pendingCount: 1 };
      },
    });
    service(NotificationsService, {
      countUnread: () => {
        state.counts += 1;
        return { unread: state.unread };
      },
    });
    service(EventsService, {
      async *watch() {
        yield { changed: [] };
        for (;;) yield { changed: await new Promise<Topic[]>((resolve) => (say = resolve)) };
      },
    });
  });
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  await renderPart(
    <>
      <LiveUpdates />
      <Shown />
      <Unread />
    </>,
    transport,
  );
  await screen.findByText("2 unread");
  await waitFor(() => expect([state.counts, state.reviews]).toEqual([2, 2]));
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  state.unread = 0;
  say([Topic.NOTIFICATIONS]);
  await screen.findByText("0 unread");
  expect([state.counts, state.reviews]).toEqual([3, 2]);
});

it("lets the sign-in handle the end of a session", async () => {
  const { state, calls } = await open({ refuse: true });
  await waitFor(() => expect(calls.length).toBeGreaterThan(1));
  expect(state.streams).toBe(1);
});
