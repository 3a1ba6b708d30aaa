import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it, test } from "vitest";
import { FuelKind } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { emptyUpdate, toEntry } from "./schema";
import { judge, toRequest } from "./send-update";

test.each([
  ["no connection", new TypeError("Failed to fetch"), "blocked"],
  [
    "no connection, by grpc-web",
    new ConnectError("x", Code.Unknown, undefined, undefined, new TypeError()),
    "blocked",
  ],
  ["too slow", new ConnectError("x", Code.DeadlineExceeded), "blocked"],
  ["busy", new ConnectError("x", Code.Unavailable), "blocked"],
  ["too many calls", new ConnectError("x", Code.ResourceExhausted), "blocked"],
  ["signed out", new ConnectError("x", Code.Unauthenticated), "blocked"],
  ["the first try still runs", new ConnectError("x", Code.Aborted), "failed"],
  ["server fault", new ConnectError("x", Code.Internal), "failed"],
  ["not acceptable", new ConnectError("x", Code.InvalidArgument), "refused"],
  ["equipment is gone", new ConnectError("x", Code.NotFound), "refused"],
  ["no right", new ConnectError("x", Code.PermissionDenied), "refused"],
])("%s", (_, error, kind) => {
  expect(judge(error).kind).toBe(kind);
});

describe("the request", () => {
  const made = { clientId: "c1", now: new Date("2026-11-20T08:15:00Z") };
  const about = { id: "e1", name: "Excavator" };

  it("leaves out what was not given, and the fuel type without fuel", () => {
    const request = toRequest(toEntry({ ...emptyUpdate, notes: "Oil leak" }, about, made));
    expect(request).not.toHaveProperty("newUsage");
    expect(request).not.toHaveProperty("fuelAdded");
    expect(request).not.toHaveProperty("fuelKind");
    expect(request).toMatchObject({ equipmentId: "e1", notes: "Oil leak", clientId: "c1" });
  });

  it("sends a reading of 0, and fuel with its type", () => {
    const values = { ...emptyUpdate, reading: "0", fuel: "12.5", fuelKind: "diesel" as const };
    expect(toRequest(toEntry(values, about, made))).toMatchObject({
      newUsage: 0,
      fuelAdded: 12.5,
      fuelKind: FuelKind.DIESEL,
    });
  });
});
