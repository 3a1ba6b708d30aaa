import type { ConnectError } from "@connectrpc/connect";
import * as v from "valibot";
import { readErrorInfo, readFieldViolations } from "./error-details";
import { RestError, secondsOf, type Failure, type Sentence } from "./failure";

const words = v.nullish(v.record(v.string(), v.string()), {});

const bodySchema = v.object({
  message: v.nullish(v.string()),
  code: v.nullish(v.string()),
  textCode: v.nullish(v.string()),
  parameters: words,
  fields: words,
  fieldCodes: words,
});

/** Converts any thrown value, from REST or grpc-web, to a `Failure`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof RestError) return fromRest(error);
  if (isConnectError(error)) return fromConnect(error);
  if (error instanceof DOMException && error.name === "TimeoutError") return ours("TIMEOUT");
  // fetch reports every network failure as a TypeError.
  if (error instanceof TypeError) return ours("NETWORK");
  return ours("UNKNOWN");
}

/** Checks the name, so that pages without grpc-web calls don't load the class. */
function isConnectError(error: unknown): error is ConnectError {
  return error instanceof Error && error.name === "ConnectError";
}

function ours(code: string, status = 0): Failure {
  return {
    status,
    code,
    said: { code, params: {}, text: null },
    fields: {},
    retryAfter: null,
  };
}

/** Values of a field's text are named `field.name`. */
function ofField(field: string, params: Record<string, string>): Record<string, string> {
  const own = Object.entries(params).filter(
    ([path]) => path.slice(0, path.lastIndexOf(".")) === field,
  );
  return Object.fromEntries(own.map(([path, value]) => [path.slice(field.length + 1), value]));
}

function fromRest(error: RestError): Failure {
  const { status, retryAfter } = error;
  const body = v.safeParse(v.pipe(v.string(), v.parseJson(), bodySchema), error.body);
  // A body from a proxy is not shown to people.
  const {
    message,
    code = null,
    textCode,
    parameters,
    fields,
    fieldCodes,
  } = body.success ? body.output : v.parse(bodySchema, {});
  const sentences = Object.entries(fields).map(([field, text]): [string, Sentence] => [
    field,
    { code: fieldCodes[field] ?? null, params: ofField(field, parameters), text },
  ]);
  return {
    status,
    code,
    said: { code: textCode ?? code, params: parameters, text: message || null },
    fields: Object.fromEntries(sentences),
    retryAfter,
  };
}

function fromConnect(error: ConnectError): Failure {
  const status = statusByCode[error.code] ?? 500;
  if (status === 504) return ours("TIMEOUT", status);
  // connect-web wraps a failed fetch; its text is the browser's, not the server's.
  if (error.cause instanceof TypeError) return ours("NETWORK");
  let info: ReturnType<typeof readErrorInfo> = { reason: "", metadata: {} };
  let violations: ReturnType<typeof readFieldViolations> = [];
  for (const detail of error.details) {
    if (!("type" in detail) || !(detail.value instanceof Uint8Array)) continue;
    if (detail.type === "google.rpc.ErrorInfo") info = readErrorInfo(detail.value);
    if (detail.type === "google.rpc.BadRequest") violations = readFieldViolations(detail.value);
  }
  const code = info.reason || null;
  const { textCode = code, ...params } = info.metadata;
  const fields: Failure["fields"] = {};
  for (const { field, reason, description } of violations) {
    fields[field] ??= { code: reason || null, params: ofField(field, params), text: description };
  }
  return {
    status,
    code,
    said: { code: textCode, params, text: error.rawMessage || null },
    fields,
    retryAfter: secondsOf(error.metadata.get("retry-after")),
  };
}

/** HTTP status of a gRPC status code. */
const statusByCode: Partial<Record<number, number>> = {
  1: 499, // canceled
  3: 400, // invalid argument
  4: 504, // deadline exceeded
  5: 404, // not found
  6: 409, // already exists
  7: 403, // permission denied
  8: 429, // resource exhausted
  9: 409, // failed precondition
  10: 409, // aborted
  11: 400, // out of range
  12: 501, // unimplemented
  14: 503, // unavailable
  16: 401, // unauthenticated
};
