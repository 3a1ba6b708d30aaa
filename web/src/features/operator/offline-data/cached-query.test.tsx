import { createRouterTransport } from "@connectrpc/connect";
import { act, screen, waitFor } from "@testing-library/react";
import { useQuery } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { changeSession, sessionQuery, useSession } from "#/session/session";
import { operator, renderPart, stubRest, type Answer } from "#/test/render-app";
import { useMachines } from "./machines";
import { putUpdate, useOwnHistory } from "./own-history";
import { fieldMachine, machine, ownUpdate, unavailable } from "../operator.fixture";

const device = vi.hoisted(() => new Map<string, unknown>());

vi.mock(import("#/device/database"), async (original) => ({
  ...(await original()),
  readCached: (key: string) => Promise.resolve(device.get(key)),
  writeCached: (key: string, value: unknown) => {
    device.set(key, value);
    return Promise.resolve(true);
  },
  deleteCached: (...keys: string[]) => {
    for (const key of keys) device.delete(key);
    return Promise.resolve();
  },
}));

const yesterday = new Date("2026-11-19T09:00:00Z");
const machinesKey = `meters/${operator.id}`;

function keep(...names: string[]) {
  const value = names.map((name) => fieldMachine(name, { name }));
  device.set(machinesKey, { value, syncedAt: yesterday });
}

function Lists() {
  useQuery(sessionQuery);
  return useSession() ? <Shown /> : null;
}

function Shown() {
  const { machines, state, syncedAt, refreshing } = useMachines();
  const { updates, hasMore, loadMore } = useOwnHistory();
  const since = syncedAt?.getTime() === yesterday.getTime() ? "yesterday" : "now";
  return (
    <>
      <p>{`${state}: ${machines.map(({ name }) => name).join()}`}</p>
      <p>{refreshing ? "asking" : `as of ${since}`}</p>
      <p>{`sent: ${updates.map(({ id }) => id).join()}`}</p>
      {hasMore && <button onClick={loadMore}>More</button>}
    </>
  );
}

/** A server with machines, or a failure, and pages of updates that a test can change. */
async function open() {
  const server = {
    machines: ["Excavator"] as string[] | Answer,
    pages: [["u1"]],
    asked: 0,
    expected: [] as (string | null)[],
    wait: () => Promise.resolve(),
  };
  const calls = stubRest({
    "GET /api/auth/user": { status: 200, body: operator },
    "GET /api/meters": ({ headers }) => {
      server.asked += 1;
      server.expected.push(headers.get("X-Expected-User"));
      const { machines } = server;
      if (!Array.isArray(machines)) return machines;
      return { status: 200, body: machines.map((name) => machine(name, name)) };
    },
    "GET /api/operator-updates": async ({ path }) => {
      const at = Number(new URL(path, "http://host").searchParams.get("cursor"));
      const body = (server.pages[at] ?? []).map((id) => ownUpdate(id));
      await server.wait();
      const next = at + 1 < server.pages.length;
      return { status: 200, body, ...(next && { headers: { "X-Next-Cursor": `${at + 1}` } }) };
    },
  });
  const transport = createRouterTransport(() => undefined);
  const { queryClient: client } = await renderPart(<Lists />, transport);
  return { server, calls, client, person: { client, userId: operator.id } };
}

const shows = (text: string) => screen.findByText(text);

beforeEach(() => {
  device.clear();
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => vi.useRealTimers());

it("shows the cached copy until the server responds, then caches the response", async () => {
  keep("Old");
  const { server } = await open();
  server.machines = unavailable;
  await shows("ready: Old");
  await shows("as of yesterday");
  server.machines = ["New"];
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  await shows("ready: New");
  await shows("as of now");
  expect(device.get(machinesKey)).toMatchObject({ value: [{ name: "New" }] });
  expect(new Set(server.expected)).toEqual(new Set([operator.id]));
});

it("retries periodically after a failure and when the connection returns", async () => {
  keep("Old");
  const { server } = await open();
  server.machines = unavailable;
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

it("fails without a cached copy and without a response", async () => {
  const { server } = await open();
  server.machines = unavailable;
  await shows("failed:");
  server.machines = ["New"];
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  expect(await shows("ready: New")).toBeTruthy();
});

it("ignores a damaged copy", async () => {
  device.set(machinesKey, { value: [{ name: 7 }], syncedAt: yesterday });
  device.set(`history/${operator.id}`, "damaged");
  await open();
  await shows("ready: Excavator");
  expect(await shows("sent: u1")).toBeTruthy();
});

it("keeps a row added during a fetch, also when the response is older", async () => {
  const { server, client, person } = await open();
  await shows("sent: u1");
  let answer: () => void = () => undefined;
  server.wait = () => new Promise((resolve) => (answer = resolve));
  void client.invalidateQueries({ queryKey: ["history"] });
  await vi.waitFor(() => expect(client.isFetching({ queryKey: ["history"] })).toBe(1));
  await act(() => putUpdate(person, ownUpdate("u2")));
  await shows("sent: u2,u1");
  answer();
  await waitFor(() => expect(client.isFetching()).toBe(0));
  await shows("sent: u2,u1");
});

it("loads page by page and caches the newest page", async () => {
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

it("caches nothing after a sign-out", async () => {
  const { client, person } = await open();
  await shows("ready: Excavator");
  await act(() => changeSession(client, null));
  expect([...device.keys()]).not.toContain(machinesKey);
  await putUpdate(person, ownUpdate("u2"));
  expect([...device.keys()].filter((key) => key.endsWith(operator.id))).toEqual([]);
});

it("checks the session when the server reports another user", async () => {
  const { server, calls } = await open();
  await shows("ready: Excavator");
  server.machines = { status: 409, body: { message: "Another user", code: "OTHER_PERSON" } };
  const asked = () => calls.filter(({ path }) => path === "/api/auth/user").length;
  const before = asked();
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  await waitFor(() => expect(asked()).toBe(before + 1));
});
