import type { QueryClient } from "@tanstack/react-query";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { operator, owner, stubRest, visitor } from "#/test/render-app";

// A stub of the identity in IndexedDB.
const device = vi.hoisted(() => ({
  identity: null as { id: string } | null,
  byPin: false,
  unfinished: null as string | null,
  storing: Promise.resolve(),
}));
vi.mock("#/device/identity", () => ({
  readIdentity: () =>
    Promise.resolve(device.identity && { identity: device.identity, byPin: device.byPin }),
  saveIdentity: async (user: { id: string; role: string }, byPin = false) => {
    await device.storing;
    device.byPin = byPin;
    device.identity = user.role === "operator" ? user : null;
  },
  deleteIdentity: () => {
    device.identity = null;
    return Promise.resolve();
  },
  saveUnfinishedLogout: (userId: string | null) => {
    device.unfinished = userId ?? "anyone";
    return Promise.resolve();
  },
  markForeignSession: (userId: string) => {
    device.unfinished ??= `not ${userId}`;
    return Promise.resolve();
  },
  isLogoutUnfinished: (userId: string) => {
    const { unfinished } = device;
    const isForeign = unfinished?.startsWith("not ") && unfinished !== `not ${userId}`;
    return Promise.resolve(isForeign || unfinished === "anyone" || unfinished === userId);
  },
  deleteUnfinishedLogout: () => {
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

/** A new page without any session response. */
async function openPage() {
  vi.resetModules();
  const session = await import("./session");
  const { createQueryClient } = await import("./query-client");
  const client = createQueryClient();
  const ask = () => client.fetchQuery({ ...session.sessionQuery, staleTime: 0 });
  return { ...session, client, ask };
}

const offline = () => vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no connection")));
const cachedUser = (client: QueryClient) => client.getQueryData(["session"]);

beforeEach(() => {
  device.identity = null;
  device.unfinished = null;
  device.byPin = false;
  device.storing = Promise.resolve();
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});

describe("a start without the server", () => {
  it("shows the last operator's page, without secrets and addresses", async () => {
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

  it("shows it also when the server fails", async () => {
    device.identity = identity;
    stubRest({ "GET /api/auth/user": { status: 503, body: { message: "busy" } } });
    const { ask } = await openPage();
    expect(await ask()).toMatchObject({ id: operator.id });
  });

  it("fails without a stored operator", async () => {
    offline();
    const { ask } = await openPage();
    await expect(ask()).rejects.toThrow("no connection");
  });

  it.each(["/employee-login", "/login", "/operator", "/simple-operator"])(
    "shows a visitor's page at %s",
    async (path) => {
      offline();
      window.history.replaceState(null, "", path);
      const { ask } = await openPage();
      expect(await ask()).toBeNull();
      window.history.replaceState(null, "", "/");
    },
  );

  it("shows the operator who has signed in by PIN as such", async () => {
    device.identity = identity;
    device.byPin = true;
    offline();
    const { ask } = await openPage();
    expect(await ask()).toMatchObject({ id: operator.id });
    const { getSession } = await import("./state");
    expect(getSession().status).toBe("pin");
  });

  it("does not wait for a dead connection", async () => {
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

describe("the server's response", () => {
  it("without a session keeps the operator, who is asked to sign in again", async () => {
    device.identity = identity;
    stubRest({ "GET /api/auth/user": visitor });
    const { ask } = await openPage();
    expect(await ask()).toMatchObject({ id: operator.id });
    const { getSession } = await import("./state");
    expect(getSession().status).toBe("ended");
  });

  it("without a session does not show the last operator on a sign-in page", async () => {
    device.identity = identity;
    stubRest({ "GET /api/auth/user": visitor });
    window.history.replaceState(null, "", "/employee-login?operator=juan1234");
    const { ask } = await openPage();
    expect(await ask()).toBeNull();
    window.history.replaceState(null, "", "/");
  });

  it("is stored for operators only", async () => {
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

  it("removes the identity, and a start without the server then fails", async () => {
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

  it("that did not reach the server is repeated before the session is used again", async () => {
    const { client, endServerSession, changeSession } = await page();
    offline();
    await endServerSession();
    await changeSession(client, null);
    expect(device.unfinished).toBe(operator.id);
    const reopened = await openPage();
    const calls = stubRest({
      "GET /api/auth/user": { status: 200, body: operator },
      "POST /api/auth/logout": { status: 204 },
      "GET /api/logout": { status: 204 },
    });
    expect(await reopened.ask()).toBeNull();
    expect(calls.map((call) => call.path)).toContain("/api/auth/logout");
    expect(device.unfinished).toBeNull();
  });

  it("drops the identity before the server answers", async () => {
    const { endServerSession } = await page();
    vi.useFakeTimers();
    vi.stubGlobal("fetch", () => new Promise(() => undefined));
    const ending = endServerSession();
    await vi.advanceTimersByTimeAsync(0);
    expect(device).toMatchObject({ identity: null, unfinished: operator.id });
    await vi.advanceTimersByTimeAsync(4_000);
    await ending;
    vi.useRealTimers();
  });

  it("that did not reach the server is repeated while the next user is signed in by PIN", async () => {
    const { client, endServerSession, changeSession, enterByPin, ask } = await page();
    offline();
    await endServerSession();
    await changeSession(client, null);
    const next = { ...identity, id: "u9", role: "operator", fuelUnit: null } as const;
    const { userOf } = await import("./user");
    await enterByPin(client, userOf(next));
    const calls = stubRest({
      "GET /api/auth/user": { status: 200, body: operator },
      "POST /api/auth/logout": { status: 204 },
      "GET /api/logout": { status: 204 },
    });
    expect(await ask()).toMatchObject({ id: "u9" });
    expect(calls.map((call) => call.path)).toContain("/api/auth/logout");
    expect(device).toMatchObject({ unfinished: null, byPin: true });
    const { getSession } = await import("./state");
    expect(getSession().status).toBe("pin");
  });

  const juan = { ...identity, id: "u9", role: "operator", fuelUnit: null } as const;
  const managersPhone = () =>
    stubRest({
      "GET /api/auth/user": { status: 200, body: owner },
      "POST /api/auth/logout": { status: 204 },
      "GET /api/logout": { status: 204 },
    });

  it("uses the language of the user who signs in", async () => {
    stubRest({ "GET /api/auth/user": visitor });
    const { client, enterByPin, changeSession } = await openPage();
    const { currentLanguage } = await import("#/i18n");
    const { userOf } = await import("./user");
    const juana = userOf({ ...juan, language: "es" });
    await changeSession(client, juana);
    await vi.waitFor(() => expect(currentLanguage()).toBe("es"));
    await changeSession(client, null);
    expect(currentLanguage()).toBe("es");
    await enterByPin(client, { ...juana, language: "en" });
    await vi.waitFor(() => expect(currentLanguage()).toBe("en"));
    await changeSession(client, userOf(juan));
    expect(currentLanguage()).toBe("en");
  });

  it("ends the session of a manager when signal returns to a user by PIN, who stays", async () => {
    offline();
    const { client, enterByPin, ask } = await openPage();
    const { userOf } = await import("./user");
    await enterByPin(client, userOf(juan));
    const calls = managersPhone();
    expect(await ask()).toMatchObject({ id: "u9" });
    expect(calls.map((call) => call.path)).toContain("/api/auth/logout");
    expect(device).toMatchObject({ identity: { id: "u9" }, byPin: true });
    const { getSession } = await import("./state");
    expect(getSession()).toMatchObject({ status: "pin", user: { id: "u9" } });
  });

  it("ends the session of a manager also after the user by PIN has reopened the page", async () => {
    offline();
    const { client, enterByPin } = await openPage();
    const { userOf } = await import("./user");
    await enterByPin(client, userOf(juan));
    const calls = managersPhone();
    const reopened = await openPage();
    expect(await reopened.ask()).toMatchObject({ id: "u9" });
    expect(calls.map((call) => call.path)).toContain("/api/auth/logout");
  });

  it("without signal of a user by PIN leaves no session of anyone", async () => {
    offline();
    const { client, enterByPin, endServerSession, changeSession } = await openPage();
    const { userOf } = await import("./user");
    await enterByPin(client, userOf(juan));
    await endServerSession();
    await changeSession(client, null);
    const calls = managersPhone();
    expect(await (await openPage()).ask()).toBeNull();
    expect(calls.map((call) => call.path)).toContain("/api/auth/logout");
  });

  it("waits a few seconds in total, and makes no calls afterwards", async () => {
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

  it("that is unfinished does not sign out a user who has signed in since", async () => {
    device.unfinished = operator.id;
    const { client, changeSession, ask } = await page();
    const v = await import("valibot");
    const { userSchema } = await import("./user");
    await changeSession(client, v.parse(userSchema, operator));
    expect(device.unfinished).toBeNull();
    expect(await ask()).toMatchObject({ id: operator.id });
    expect(cachedUser(client)).toMatchObject({ id: operator.id });
  });
});
