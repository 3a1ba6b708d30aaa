import { createRouterTransport } from "@connectrpc/connect";
import { act, screen, waitFor } from "@testing-library/react";
import { useQuery } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { changeSession, sessionQuery, useSession } from "#/session/session";
import { operator, renderPart, stubRest, type Answer } from "#/test/render-app";
import { useMeters } from "./meters";
import { putUpdate, useOwnHistory } from "./own-history";
import { fieldMeter, machine, ownUpdate, unavailable } from "../operator.fixture";

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
  const value = names.map((name) => fieldMeter(name, { name }));
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

it("shows what the device kept until the server answers, and keeps that", async () => {
  keep("Old");
  const { server } = await open();
  server.machines = unavailable;
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

it("says so when nothing is kept and nothing comes", async () => {
  const { server } = await open();
  server.machines = unavailable;
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
  await act(() => putUpdate(person, ownUpdate("u2")));
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
  await putUpdate(person, ownUpdate("u2"));
  expect([...device.keys()].filter((key) => key.endsWith(operator.id))).toEqual([]);
});

it("asks who is signed in when the server says that it is somebody else", async () => {
  const { server, calls } = await open();
  await shows("ready: Excavator");
  server.machines = { status: 409, body: { message: "Somebody else", code: "OTHER_PERSON" } };
  const asked = () => calls.filter(({ path }) => path === "/api/auth/user").length;
  const before = asked();
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  await waitFor(() => expect(asked()).toBe(before + 1));
});
