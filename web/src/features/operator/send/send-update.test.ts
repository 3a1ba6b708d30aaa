import { describe, expect, it, test } from "vitest";
import { RestError } from "#/api/failure";
import { stubRest } from "#/test/render-app";
import type { OutboxEntry } from "./outbox-entry";
import { judge, sendUpdate, toRequest } from "./send-update";
import { ownUpdate } from "../operator.fixture";

const said = (status: number) => new RestError(status, '{"message":"x"}');
const proxyPage = "<html>Bad gateway</html>";

test.each([
  ["no connection", new TypeError("Failed to fetch"), "offline"],
  ["too slow", new DOMException("x", "TimeoutError"), "offline"],
  ["too slow behind a proxy", new RestError(504, proxyPage), "offline"],
  ["busy", said(503), "server"],
  ["nothing behind a proxy", new RestError(502, proxyPage), "server"],
  ["too many calls", said(429), "limit"],
  ["signed out", said(401), "session"],
])("what keeps all of them: %s", (_, error, by) => {
  expect(judge(error)).toMatchObject({ kind: "blocked", by });
});

test.each([
  ["the first try still runs", said(409), "failed"],
  ["server fault", said(500), "failed"],
  ["a page of something in between", new RestError(404, proxyPage), "failed"],
  ["an answer that is no update", new SyntaxError("x"), "failed"],
  ["not acceptable", said(400), "refused"],
  ["equipment is gone", said(404), "refused"],
  ["no right", said(403), "refused"],
])("what concerns one: %s", (_, error, kind) => {
  expect(judge(error).kind).toBe(kind);
});

test("how long to wait comes with the limit", () => {
  const error = new RestError(429, '{"message":"x"}', "40");
  expect(judge(error)).toEqual({ kind: "blocked", by: "limit", retryAfter: 40 });
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
  it("leaves out what was not given, and the fuel type without fuel", () => {
    const request = toRequest({ ...entry, notes: "Oil leak" });
    expect(request).not.toHaveProperty("newUsage");
    expect(request).not.toHaveProperty("fuelAdded");
    expect(request).not.toHaveProperty("fuelType");
    expect(request).toMatchObject({ equipmentId: "e1", notes: "Oil leak", clientId: "c1" });
  });

  it("sends a reading of 0, and fuel with its type", () => {
    const request = toRequest({ ...entry, reading: 0, fuelAdded: 12.5, fuelKind: "diesel" });
    expect(request).toMatchObject({ newUsage: 0, fuelAdded: 12.5, fuelType: "diesel" });
  });

  it("leaves the time to the server when it can't be read", () => {
    expect(toRequest({ ...entry, capturedAt: "yesterday" })).not.toHaveProperty("capturedAt");
  });
});

describe("the answer", () => {
  const answering = (body: unknown) =>
    stubRest({ "POST /api/operator-updates": { status: 201, body } });

  it("is the row of the server, and the request says whose it is", async () => {
    const update = ownUpdate("s1", { clientId: "c1", operatorId: "u2" });
    const calls = answering(update);
    expect(await sendUpdate(entry, "u2")).toEqual({ kind: "sent", update });
    const [call] = calls;
    expect(call?.headers.get("Idempotency-Key")).toBe("c1");
    expect(call?.headers.get("X-Expected-User")).toBe("u2");
  });

  it("under another person's name is no success", async () => {
    answering(ownUpdate("s1", { operatorId: "u9" }));
    expect((await sendUpdate(entry, "u2")).kind).toBe("refused");
  });

  it("that is not an update is no success", async () => {
    answering({});
    expect((await sendUpdate(entry, "u2")).kind).toBe("failed");
  });

  it("that it was another person's session blocks all", () => {
    const error = new RestError(409, '{"message":"x","code":"OTHER_PERSON"}');
    expect(judge(error)).toMatchObject({ kind: "blocked", by: "session" });
  });
});
