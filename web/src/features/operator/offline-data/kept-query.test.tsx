import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { act, screen, waitFor } from "@testing-library/react";
import { useQuery } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { EquipmentService, MeterSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  OperatorUpdateSchema,
  OperatorUpdatesService,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { changeSession, sessionQuery, useSession } from "#/session/session";
import { operator, renderPart, stubRest } from "#/test/render-app";
import { toFieldMeter, useMeters } from "./meters";
import { putUpdate, useOwnHistory } from "./own-history";

const device = vi.hoisted(() => new Map<string, unknown>());

vi.mock(import("#/device/database"), async (original) => ({
  ...(await original()),
  readKept: (key: string) => Promise.resolve(device.get(key)),
  writeKept: (key: string, value: unknown) => {
    device.set(key, value);
    return Promise.resolve(true);
  },
  dropKept: (...keys: string[]) => {
    for (const key of keys) device.delete(key);
    return Promise.resolve();
  },
}));

const yesterday = new Date("2026-11-19T09:00:00Z");
const metersKey = `meters/${operator.id}`;

function keep(...names: string[]) {
  const value = names.map((name) => ({
    ...toFieldMeter(create(MeterSchema, {})),
    equipmentId: name,
    name,
  }));
  device.set(metersKey, { value, syncedAt: yesterday });
}

function Lists() {
  useQuery(sessionQuery);
  return useSession() ? <Shown /> : null;
}

function Shown() {
  const { meters, state, syncedAt, refreshing } = useMeters();
  const { updates, hasMore, loadMore } = useOwnHistory();
  const since = syncedAt?.getTime() === yesterday.getTime() ? "yesterday" : "now";
  return (
    <>
      <p>{`${state}: ${meters.map(({ name }) => name).join()}`}</p>
      <p>{refreshing ? "asking" : `as of ${since}`}</p>
      <p>{`sent: ${updates.map(({ id }) => id).join()}`}</p>
      {hasMore && <button onClick={loadMore}>More</button>}
    </>
  );
}

/** A server whose machines, or failure, and pages of updates a test may change. */
async function open() {
  const server = {
    machines: ["Excavator"] as string[] | ConnectError,
    pages: [["u1"]],
    asked: 0,
    expected: [] as (string | null)[],
    wait: () => Promise.resolve(),
  };
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, {
      listMeters: (_, { requestHeader }) => {
        server.asked += 1;
        server.expected.push(requestHeader.get("X-Expected-User"));
        if (server.machines instanceof ConnectError) throw server.machines;
        return { meters: server.machines.map((name) => ({ equipmentId: name, name })) };
      },
    });
    service(OperatorUpdatesService, {
      listUpdates: async ({ page }) => {
        const at = Number(page?.cursor || 0);
        const updates = (server.pages[at] ?? []).map((id) => ({ id }));
        await server.wait();
        return { updates, page: { nextCursor: at + 1 < server.pages.length ? `${at + 1}` : "" } };
      },
    });
  });
  const calls = stubRest({ "GET /api/auth/user": { status: 200, body: operator } });
  const { queryClient: client } = await renderPart(<Lists />, transport);
  return { server, calls, client, person: { transport, client, userId: operator.id } };
}

const offline = new ConnectError("no line", Code.Unavailable);
const shows = (text: string) => screen.findByText(text);

beforeEach(() => {
  device.clear();
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => vi.useRealTimers());

it("shows what the device kept until the server answers, and keeps that", async () => {
  keep("Old");
  const { server } = await open();
  server.machines = offline;
  await shows("ready: Old");
  await shows("as of yesterday");
  server.machines = ["New"];
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  await shows("ready: New");
  await shows("as of now");
  expect(device.get(metersKey)).toMatchObject({ value: [{ name: "New" }] });
  expect(new Set(server.expected)).toEqual(new Set([operator.id]));
});

it("asks again on a timer after a failure, and when the connection is back", async () => {
  keep("Old");
  const { server } = await open();
  server.machines = offline;
  await shows("ready: Old");
  await shows("as of yesterday");
  const before = server.asked;
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  expect(server.asked).toBe(before + 1);
  server.machines = ["New"];
  window.dispatchEvent(new Event("offline"));
  window.dispatchEvent(new Event("online"));
  await shows("ready: New");
  const after = server.asked;
  await act(() => vi.advanceTimersByTimeAsync(90_000));
  expect(server.asked).toBe(after);
});

it("says so when nothing is kept and nothing comes", async () => {
  const { server } = await open();
  server.machines = offline;
  await shows("failed:");
  server.machines = ["New"];
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  expect(await shows("ready: New")).toBeTruthy();
});

it("is not stopped by a copy that can't be read", async () => {
  device.set(metersKey, { value: [{ name: 7 }], syncedAt: yesterday });
  device.set(`history/${operator.id}`, "damaged");
  await open();
  await shows("ready: Excavator");
  expect(await shows("sent: u1")).toBeTruthy();
});

it("shows a row that comes while the list is asked for, also when the answer is older", async () => {
  const { server, client, person } = await open();
  await shows("sent: u1");
  let answer: () => void = () => undefined;
  server.wait = () => new Promise((resolve) => (answer = resolve));
  void client.invalidateQueries({ queryKey: ["history"] });
  await vi.waitFor(() => expect(client.isFetching({ queryKey: ["history"] })).toBe(1));
  await act(() => putUpdate(person, create(OperatorUpdateSchema, { id: "u2" })));
  await shows("sent: u2,u1");
  answer();
  await waitFor(() => expect(client.isFetching()).toBe(0));
  await shows("sent: u2,u1");
});

it("goes on page by page, and keeps the newest page", async () => {
  const { server, person } = await open();
  server.pages = [["u4", "u3"], ["u2"], ["u1"]];
  await person.client.invalidateQueries({ queryKey: ["history"] });
  await shows("sent: u4,u3");
  act(() => screen.getByText("More").click());
  await shows("sent: u4,u3,u2");
  act(() => screen.getByText("More").click());
  await shows("sent: u4,u3,u2,u1");
  expect(screen.queryByText("More")).toBeNull();
  expect(device.get(`history/${operator.id}`)).toMatchObject({ value: { length: 2 } });
});

it("keeps nothing of who has signed out", async () => {
  const { client, person } = await open();
  await shows("ready: Excavator");
  await act(() => changeSession(client, null));
  expect([...device.keys()]).not.toContain(metersKey);
  await putUpdate(person, create(OperatorUpdateSchema, { id: "u2" }));
  expect([...device.keys()].filter((key) => key.endsWith(operator.id))).toEqual([]);
});

it("asks who is signed in when the server says that it is somebody else", async () => {
  const { server, calls } = await open();
  await shows("ready: Excavator");
  const other = new ConnectError("Somebody else", Code.Aborted);
  // google.rpc.ErrorInfo with its reason in field 1.
  const reason = new TextEncoder().encode("OTHER_PERSON");
  other.details = [
    { type: "google.rpc.ErrorInfo", value: new Uint8Array([0x0a, reason.length, ...reason]) },
  ];
  server.machines = other;
  const before = calls.length;
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  await waitFor(() => expect(calls.length).toBe(before + 1));
});
