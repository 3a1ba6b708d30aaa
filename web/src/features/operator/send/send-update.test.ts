import { describe, expect, it, test } from "vitest";
import { RestError } from "#/api/failure";
import { stubRest } from "#/test/render-app";
import type { OutboxEntry } from "./outbox-entry";
import { toSendResult, sendUpdate, toRequest } from "./send-update";
import { ownUpdate } from "../operator.fixture";

const said = (status: number) => new RestError(status, '{"message":"x"}');
const proxyPage = "<html>Bad gateway</html>";

test.each([
  ["no connection", new TypeError("Failed to fetch"), "offline"],
  ["too slow", new DOMException("x", "TimeoutError"), "offline"],
  ["too slow behind a proxy", new RestError(504, proxyPage), "offline"],
  ["busy", said(503), "server"],
  ["unreachable behind a proxy", new RestError(502, proxyPage), "server"],
  ["too many calls", said(429), "limit"],
  ["signed out", said(401), "session"],
])("blocks the queue: %s", (_, error, by) => {
  expect(toSendResult(error)).toMatchObject({ kind: "blocked", by });
});

test.each([
  ["the first attempt still runs", said(409), "failed"],
  ["server fault", said(500), "failed"],
  ["a proxy's page", new RestError(404, proxyPage), "failed"],
  ["a response without an update", new SyntaxError("x"), "failed"],
  ["not acceptable", said(400), "refused"],
  ["equipment was deleted", said(404), "refused"],
  ["forbidden", said(403), "refused"],
])("concerns one entry: %s", (_, error, kind) => {
  expect(toSendResult(error).kind).toBe(kind);
});

test("reads Retry-After of a rate limit", () => {
  const error = new RestError(429, '{"message":"x"}', "40");
  expect(toSendResult(error)).toEqual({ kind: "blocked", by: "limit", retryAfter: 40 });
});

const entry: OutboxEntry = {
  clientId: "c1",
  capturedAt: "2026-11-20T08:15:00.000Z",
  equipmentId: "e1",
  equipmentName: "Excavator",
  reading: null,
  fuelAdded: null,
  fuelKind: "gas",
  notes: "",
  state: "waiting",
  reason: null,
  failures: 0,
};

describe("the request", () => {
  it("omits empty values, and the fuel type without fuel", () => {
    const request = toRequest({ ...entry, notes: "Oil leak" });
    expect(request).not.toHaveProperty("newUsage");
    expect(request).not.toHaveProperty("fuelAdded");
    expect(request).not.toHaveProperty("fuelType");
    expect(request).toMatchObject({ equipmentId: "e1", notes: "Oil leak", clientId: "c1" });
  });

  it("includes a reading of 0, and fuel with its type", () => {
    const fuel = { fuelAdded: 12.5, fuelKind: "diesel" } as const;
    const request = toRequest({ ...entry, reading: 0, ...fuel });
    expect(request).toMatchObject({ newUsage: 0, fuelAdded: 12.5, fuelType: "diesel" });
    expect(request).not.toHaveProperty("fullFill");
    expect(toRequest({ ...entry, ...fuel, fullFill: true })).toHaveProperty("fullFill", true);
    expect(toRequest({ ...entry, fullFill: true })).not.toHaveProperty("fullFill");
  });

  it("omits an invalid time", () => {
    expect(toRequest({ ...entry, capturedAt: "yesterday" })).not.toHaveProperty("capturedAt");
  });
});

describe("the response", () => {
  const answering = (body: unknown) =>
    stubRest({ "POST /api/operator-updates": { status: 201, body } });

  it("is the server's row, and the request names the expected user", async () => {
    const update = ownUpdate("s1", { clientId: "c1", operatorId: "u2" });
    const calls = answering(update);
    expect(await sendUpdate(entry, "u2")).toEqual({ kind: "sent", update });
    const [call] = calls;
    expect(call?.headers.get("Idempotency-Key")).toBe("c1");
    expect(call?.headers.get("X-Expected-User")).toBe("u2");
  });

  it("for another user is a refusal", async () => {
    answering(ownUpdate("s1", { operatorId: "u9" }));
    expect((await sendUpdate(entry, "u2")).kind).toBe("refused");
  });

  it("without an update is a failure", async () => {
    answering({});
    expect((await sendUpdate(entry, "u2")).kind).toBe("failed");
  });

  it("for another user's session blocks the queue", () => {
    const error = new RestError(409, '{"message":"x","code":"OTHER_PERSON"}');
    expect(toSendResult(error)).toMatchObject({ kind: "blocked", by: "session" });
  });
});
