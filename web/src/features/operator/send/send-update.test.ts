import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { describe, expect, it, test } from "vitest";
import { RestError } from "#/api/failure";
import {
  FuelKind,
  OperatorUpdatesService,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import type { OutboxEntry } from "./outbox-entry";
import { judge, sendUpdate, toRequest } from "./send-update";

test.each([
  ["no connection", new TypeError("Failed to fetch"), "offline"],
  [
    "no connection, by grpc-web",
    new ConnectError("x", Code.Unknown, undefined, undefined, new TypeError()),
    "offline",
  ],
  ["too slow", new ConnectError("x", Code.DeadlineExceeded), "offline"],
  ["busy", new ConnectError("x", Code.Unavailable), "server"],
  ["too many calls", new ConnectError("x", Code.ResourceExhausted), "limit"],
  ["signed out", new ConnectError("x", Code.Unauthenticated), "session"],
])("what keeps all of them: %s", (_, error, by) => {
  expect(judge(error)).toMatchObject({ kind: "blocked", by });
});

test.each([
  ["the first try still runs", new ConnectError("x", Code.Aborted), "failed"],
  ["server fault", new ConnectError("x", Code.Internal), "failed"],
  ["a page of something in between", new ConnectError("x", Code.Unknown), "failed"],
  ["not acceptable", new ConnectError("x", Code.InvalidArgument), "refused"],
  ["equipment is gone", new ConnectError("x", Code.NotFound), "refused"],
  ["no right", new ConnectError("x", Code.PermissionDenied), "refused"],
])("what concerns one: %s", (_, error, kind) => {
  expect(judge(error).kind).toBe(kind);
});

test("how long to wait comes with the limit", () => {
  const error = new ConnectError("x", Code.ResourceExhausted, { "retry-after": "40" });
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
    expect(request).not.toHaveProperty("fuelKind");
    expect(request).toMatchObject({ equipmentId: "e1", notes: "Oil leak", clientId: "c1" });
  });

  it("sends a reading of 0, and fuel with its type", () => {
    const request = toRequest({ ...entry, reading: 0, fuelAdded: 12.5, fuelKind: "diesel" });
    expect(request).toMatchObject({ newUsage: 0, fuelAdded: 12.5, fuelKind: FuelKind.DIESEL });
  });

  it("leaves the time to the server when it can't be read", () => {
    expect(toRequest({ ...entry, capturedAt: "yesterday" })).not.toHaveProperty("capturedAt");
  });
});

describe("the answer", () => {
  const answering = (operatorId: string) => {
    const asked: (string | null)[] = [];
    const transport = createRouterTransport(({ service }) =>
      service(OperatorUpdatesService, {
        submitUpdate: (_, { requestHeader }) => {
          asked.push(requestHeader.get("Idempotency-Key"), requestHeader.get("X-Expected-User"));
          return { update: { id: "s1", operatorId }, created: true };
        },
      }),
    );
    return { transport, asked };
  };

  it("is the row of the server, and the request says whose it is", async () => {
    const { transport, asked } = answering("u2");
    const result = await sendUpdate(transport, entry, "u2");
    expect(result).toMatchObject({ kind: "sent", update: { id: "s1" } });
    expect(asked).toEqual(["c1", "u2"]);
  });

  it("under another person's name is no success", async () => {
    const { transport } = answering("u9");
    expect((await sendUpdate(transport, entry, "u2")).kind).toBe("refused");
  });

  it("that it was another person's session blocks all", () => {
    const error = new RestError(409, '{"message":"x","code":"OTHER_PERSON"}');
    expect(judge(error)).toMatchObject({ kind: "blocked", by: "session" });
  });
});
