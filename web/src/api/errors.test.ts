import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { toFailure } from "./errors";
import { RestError } from "./failure";

function strings(...values: ReadonlyArray<readonly [number, string]>): Uint8Array {
  const writer = new BinaryWriter();
  for (const [no, value] of values) writer.tag(no, WireType.LengthDelimited).string(value);
  return writer.finish();
}

function connectError(code: Code, details: Array<{ type: string; value: Uint8Array }>) {
  const error = new ConnectError("refused", code);
  error.details = details;
  return error;
}

describe("REST", () => {
  it("has status and body as its message", () => {
    expect(new RestError(409, '{"message":"x"}').message).toBe('409: {"message":"x"}');
  });

  it("gives message, code and fields", () => {
    const body = JSON.stringify({
      message: "Bad",
      code: "STALE",
      textCode: "METER_CHANGED",
      parameters: { by: "Ana", "name.max": "5" },
      fields: { name: "Too long" },
      fieldCodes: { name: "TEXT_TOO_LONG" },
    });
    expect(toFailure(new RestError(409, body))).toMatchObject({
      status: 409,
      code: "STALE",
      said: { code: "METER_CHANGED", params: { by: "Ana" }, text: "Bad" },
      fields: { name: { code: "TEXT_TOO_LONG", params: { max: "5" }, text: "Too long" } },
      retryAfter: null,
    });
  });

  it("does not show a proxy's page to people", () => {
    expect(toFailure(new RestError(502, "<html>Bad gateway</html>"))).toEqual({
      status: 502,
      code: null,
      said: { code: null, params: {}, text: null },
      fields: {},
      retryAfter: null,
    });
  });

  it.each([
    ["61", 61],
    ["Fri, 20 Nov 2026 08:00:00 GMT", null],
    ["-5", null],
    [null, null],
  ])("waits %s: %s", (header, seconds) => {
    expect(toFailure(new RestError(429, "{}", header)).retryAfter).toBe(seconds);
  });

  it("distinguishes an unreachable server from a slow one", () => {
    expect(toFailure(new TypeError("Failed to fetch")).code).toBe("NETWORK");
    expect(toFailure(new DOMException("late", "TimeoutError")).code).toBe("TIMEOUT");
  });
});

describe("grpc-web", () => {
  it("reads the code and the values from ErrorInfo, and skips unknown fields", () => {
    const writer = new BinaryWriter();
    writer.raw(strings([1, "EQUIPMENT_LIMIT_REACHED"], [2, "hourmeter"]));
    writer.tag(3, WireType.LengthDelimited).bytes(strings([1, "limit"], [2, "10"]));
    const value = writer.finish();
    const failure = toFailure(
      connectError(Code.PermissionDenied, [{ type: "google.rpc.ErrorInfo", value }]),
    );
    expect(failure).toMatchObject({
      status: 403,
      code: "EQUIPMENT_LIMIT_REACHED",
      said: { code: "EQUIPMENT_LIMIT_REACHED", params: { limit: "10" }, text: "refused" },
    });
  });

  it("reads fields from BadRequest, the first text of each", () => {
    const writer = new BinaryWriter();
    for (const violation of [
      strings([1, "name"], [2, "Name is required"], [3, "NAME_MISSING"]),
      strings([1, "unit"], [2, "Unit is required"]),
      strings([1, "name"], [2, "Second text"]),
    ]) {
      writer.tag(1, WireType.LengthDelimited).bytes(violation);
    }
    const failure = toFailure(
      connectError(Code.InvalidArgument, [
        { type: "google.rpc.BadRequest", value: writer.finish() },
      ]),
    );
    expect(failure.fields).toEqual({
      name: { code: "NAME_MISSING", params: {}, text: "Name is required" },
      unit: { code: null, params: {}, text: "Unit is required" },
    });
  });

  it("reports an unreachable server like REST", () => {
    const error = ConnectError.from(new TypeError("Failed to fetch"));
    expect(toFailure(error).code).toBe("NETWORK");
  });

  it("contains the time to wait", () => {
    const error = new ConnectError("busy", Code.ResourceExhausted, { "Retry-After": "30" });
    expect(toFailure(error)).toMatchObject({ status: 429, retryAfter: 30 });
  });

  it("reports a deadline as a timeout", () => {
    expect(toFailure(new ConnectError("late", Code.DeadlineExceeded)).code).toBe("TIMEOUT");
  });
});
