import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import type { QueryClient } from "@tanstack/react-query";
import { act, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { EventsService } from "#/api/gen/hourmeter/events/v1/events_pb";
import {
  NotificationsService,
  type ListNotificationsResponseSchema,
} from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { notificationsKey } from "#/api/unread-notifications";
import type * as Idle from "#/shared/idle";
import { ago, ownUpdate } from "../operator.fixture";
import { open, press } from "../operator-page.fixture";

const idle = vi.hoisted(() => Promise.withResolvers<void>());
vi.mock("#/shared/idle", async (original) => ({
  ...(await original<typeof Idle>()),
  whenIdle: (work: () => void) => void idle.promise.then(work),
  afterFrame: (work: () => void) => work(),
}));

afterEach(() => vi.useRealTimers());

const sent = ["r1", "r2"].map((id, index) =>
  ownUpdate(id, { newUsage: 4812, status: "rejected", reviewedAt: ago(index + 1) }),
);

/** The server; `unread` has the update of each unread notification. */
function notificationsOf(...updates: string[]) {
  const unread = new Map<bigint, string>();
  const notify = (...ids: string[]) => {
    for (const id of ids) unread.set(BigInt(unread.size + 1), id);
  };
  notify(...updates);
  const watch = vi.fn<() => never>(() => {
    throw new ConnectError("No stream.", Code.Unavailable);
  });
  const list = vi.fn<() => MessageInitShape<typeof ListNotificationsResponseSchema>>(() => ({
    notifications: Array.from(unread, ([number, updateId]) => ({
      number,
      what: { case: "returnedUpdate", value: { updateId } },
    })),
  }));
  const transport = createRouterTransport(({ service }) => {
    service(EventsService, { watch });
    service(NotificationsService, {
      countUnread: () => ({ unread: unread.size }),
      listNotifications: list,
      markRead: ({ numbers }) => {
        for (const number of numbers) unread.delete(number);
        return {};
      },
    });
  });
  return { unread, notify, watch, list, transport };
}

const settled = (client: QueryClient) => waitFor(() => expect(client.isFetching()).toBe(0));

async function openIdle(server: ReturnType<typeof notificationsOf>) {
  const { queryClient } = await open({ sent, transport: server.transport });
  idle.resolve();
  await waitFor(() => expect(server.watch).toHaveBeenCalled());
  await settled(queryClient);
  return queryClient;
}

// The first test, because the code stays loaded.
it("marks the notification of a rejection that was closed before it loaded", async () => {
  const server = notificationsOf("r1", "r2");
  await open({ sent, transport: server.transport });
  press("Got it");
  expect(server.watch).not.toHaveBeenCalled();
  idle.resolve();
  await screen.findByRole("link", { name: "Notifications 1" });
  expect([...server.unread.values()]).toEqual(["r2"]);
});

it("marks the notification of a rejection that is closed", async () => {
  const server = notificationsOf("r1", "r2");
  const queryClient = await openIdle(server);
  expect(server.list).not.toHaveBeenCalled();
  press("Got it");
  await screen.findByRole("link", { name: "Notifications 1" });
  await settled(queryClient);
  expect([...server.unread.values()]).toEqual(["r2"]);
  // The second one finds none.
  expect(server.list).toHaveBeenCalledTimes(2);
});

it("marks the notification that comes after its rejection was closed", async () => {
  const server = notificationsOf();
  const queryClient = await openIdle(server);
  press("Got it");
  await settled(queryClient);
  expect(server.list).not.toHaveBeenCalled();
  server.notify("r1", "r2");
  await act(() => queryClient.invalidateQueries({ queryKey: notificationsKey }));
  await screen.findByRole("link", { name: "Notifications 1" });
  expect([...server.unread.values()]).toEqual(["r2"]);
});

it("tries again after a failure", async () => {
  const server = notificationsOf("r1", "r2");
  await openIdle(server);
  vi.useFakeTimers({ shouldAdvanceTime: true });
  server.list.mockImplementationOnce(() => {
    throw new ConnectError("Not now.", Code.Unavailable);
  });
  press("Got it");
  await waitFor(() => expect(server.list).toHaveBeenCalledTimes(1));
  await act(() => vi.advanceTimersByTimeAsync(31_000));
  await screen.findByRole("link", { name: "Notifications 1" });
});
