import type { QueryClient } from "@tanstack/react-query";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { operator, owner, stubRest, visitor } from "#/test/render-app";
import { sessionEnded } from "./session-end";

// What the device keeps, as `device-identity.ts` would have it from IndexedDB.
const device = vi.hoisted(() => ({
  identity: null as { id: string } | null,
  unfinished: null as string | null,
  storing: Promise.resolve(),
}));
vi.mock("#/device/identity", () => ({
  readIdentity: () => Promise.resolve(device.identity),
  keepIdentity: async (user: { id: string; role: string }) => {
    await device.storing;
    device.identity = user.role === "operator" ? user : null;
  },
  dropIdentity: () => {
    device.identity = null;
    return Promise.resolve();
  },
  noteUnfinishedLogout: (userId: string) => {
    device.unfinished = userId;
    return Promise.resolve();
  },
  unfinishedLogout: () => Promise.resolve(device.unfinished),
  dropUnfinishedLogout: () => {
    device.unfinished = null;
    return Promise.resolve();
  },
}));

const identity = {
  id: operator.id,
  companyId: operator.companyId,
  firstName: "María",
  lastName: "Salazar",
  role: "operator",
  businessName: operator.businessName,
  operatorUsername: operator.operatorUsername,
};

/** A page that has just been opened: it has heard of nobody yet. */
async function openPage() {
  vi.resetModules();
  const session = await import("./session");
  const { createQueryClient } = await import("./query-client");
  const client = createQueryClient();
  const ask = () => client.fetchQuery({ ...session.sessionQuery, staleTime: 0 });
  return { ...session, client, ask };
}

const offline = () => vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no connection")));
const known = (client: QueryClient) => client.getQueryData(["session"]);

beforeEach(() => {
  device.identity = null;
  device.unfinished = null;
  device.storing = Promise.resolve();
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});

describe("a start without the server", () => {
  it("shows the page of the operator who worked here last, with no secret and no address", async () => {
    device.identity = identity;
    offline();
    const { ask } = await openPage();
    expect(await ask()).toEqual({
      ...identity,
      email: null,
      secondaryEmail: null,
      securityQuestionsSet: false,
      secondFactorMissing: false,
      notices: [],
    });
  });

  it("does so when the server is in trouble, too", async () => {
    device.identity = identity;
    stubRest({ "GET /api/auth/user": { status: 503, body: { message: "busy" } } });
    const { ask } = await openPage();
    expect(await ask()).toMatchObject({ id: operator.id });
  });

  it("fails where nobody worked", async () => {
    offline();
    const { ask } = await openPage();
    await expect(ask()).rejects.toThrow("no connection");
  });

  it("does not wait for a line that is as good as dead", async () => {
    vi.useFakeTimers();
    device.identity = identity;
    vi.stubGlobal("fetch", () => new Promise(() => undefined));
    const { ask } = await openPage();
    const asked = ask();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await asked).toMatchObject({ id: operator.id });
    vi.useRealTimers();
  });
});

describe("what the server says", () => {
  it("that the session is over: the operator stays, and is asked to sign in again", async () => {
    device.identity = identity;
    stubRest({ "GET /api/auth/user": visitor });
    const { ask } = await openPage();
    expect(await ask()).toMatchObject({ id: operator.id });
    const { sessionEnded: ended } = await import("./session-end");
    expect(ended()).toBe(true);
    expect(sessionEnded()).toBe(false);
  });

  it("that the session is over: a page for signing in is for whoever opened it", async () => {
    device.identity = identity;
    stubRest({ "GET /api/auth/user": visitor });
    window.history.replaceState(null, "", "/employee-login?operator=juan1234");
    const { ask } = await openPage();
    expect(await ask()).toBeNull();
    window.history.replaceState(null, "", "/");
  });

  it("is kept for operators alone", async () => {
    stubRest({ "GET /api/auth/user": { status: 200, body: operator } });
    await (await openPage()).ask();
    expect(device.identity).toMatchObject({ id: operator.id });
    stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
    await (await openPage()).ask();
    expect(device.identity).toBeNull();
  });
});

describe("a logout", () => {
  const page = async () => {
    stubRest({
      "GET /api/auth/user": { status: 200, body: operator },
      "POST /api/auth/logout": { status: 204 },
      "GET /api/logout": { status: 204 },
    });
    const opened = await openPage();
    await opened.ask();
    return opened;
  };

  it("leaves no identity, and a start without the server shows nobody's page", async () => {
    const { client, endServerSession, changeSession, ask } = await page();
    await endServerSession();
    await changeSession(client, null);
    expect(device).toMatchObject({ identity: null, unfinished: null });
    device.identity = identity;
    offline();
    await expect(ask()).rejects.toThrow("no connection");
  });

  it("drops an identity that was still being stored", async () => {
    const { client, ask, changeSession } = await openPage();
    stubRest({ "GET /api/auth/user": { status: 200, body: operator } });
    let store = () => undefined as void;
    device.storing = new Promise((resolve) => (store = resolve));
    await ask();
    let isDropped = false;
    const dropping = changeSession(client, null).then(() => (isDropped = true));
    await Promise.resolve();
    expect(isDropped).toBe(false);
    store();
    await dropping;
    expect(device.identity).toBeNull();
  });

  it("that could not reach the server is made up for before the session is used again", async () => {
    const { client, endServerSession, changeSession } = await page();
    offline();
    await endServerSession();
    await changeSession(client, null);
    expect(device.unfinished).toBe(operator.id);
    const again = await openPage();
    const calls = stubRest({
      "GET /api/auth/user": { status: 200, body: operator },
      "POST /api/auth/logout": { status: 204 },
      "GET /api/logout": { status: 204 },
    });
    expect(await again.ask()).toBeNull();
    expect(calls.map((call) => call.path)).toContain("/api/auth/logout");
    expect(device.unfinished).toBeNull();
  });

  it("does not wait longer than some seconds in all, and calls nothing afterwards", async () => {
    const { endServerSession } = await page();
    vi.useFakeTimers();
    const asked: string[] = [];
    vi.stubGlobal("fetch", (path: string, { signal }: RequestInit) => {
      asked.push(path);
      return new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(new DOMException("x", "AbortError")));
      });
    });
    let ended = false;
    const ending = endServerSession().then(() => (ended = true));
    await vi.advanceTimersByTimeAsync(3_900);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    await ending;
    expect(device.unfinished).toBe(operator.id);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toEqual(["/api/auth/logout"]);
    vi.useRealTimers();
  });

  it("that is not finished does not throw out who has signed in since", async () => {
    device.unfinished = operator.id;
    const { client, changeSession, ask } = await page();
    const v = await import("valibot");
    const { userSchema } = await import("./user");
    await changeSession(client, v.parse(userSchema, operator));
    expect(device.unfinished).toBeNull();
    expect(await ask()).toMatchObject({ id: operator.id });
    expect(known(client)).toMatchObject({ id: operator.id });
  });
});
