import type { ConnectError } from "@connectrpc/connect";
import * as v from "valibot";
import { readErrorReason, readFieldViolations } from "./error-details";
import { RestError, secondsOf, type Failure } from "./failure";

const bodySchema = v.object({
  message: v.nullish(v.string()),
  code: v.nullish(v.string()),
  fields: v.nullish(v.record(v.string(), v.string())),
});

/** Any thrown value, from REST or grpc-web, in one shape. */
export function toFailure(error: unknown): Failure {
  if (error instanceof RestError) return fromRest(error);
  if (isConnectError(error)) return fromConnect(error);
  if (error instanceof DOMException && error.name === "TimeoutError") return ours("TIMEOUT");
  // fetch reports every failure to reach the server as a TypeError.
  if (error instanceof TypeError) return ours("NETWORK");
  return ours("UNKNOWN");
}

/** By name, so that a page without grpc-web calls does not load their code. */
function isConnectError(error: unknown): error is ConnectError {
  return error instanceof Error && error.name === "ConnectError";
}

function ours(code: string): Failure {
  return { status: 0, code, message: null, fields: {}, retryAfter: null };
}

function fromRest(error: RestError): Failure {
  const { status, retryAfter } = error;
  const failure: Failure = { status, code: null, message: null, fields: {}, retryAfter };
  const body = v.safeParse(v.pipe(v.string(), v.parseJson(), bodySchema), error.body);
  // A body that is not ours (a proxy's error page) is not fit to be read by a person.
  if (!body.success) return failure;
  const { message, code, fields } = body.output;
  return { ...failure, message: message || null, code: code ?? null, fields: fields ?? {} };
}

function fromConnect(error: ConnectError): Failure {
  const code: number = error.code;
  const failure: Failure = {
    status: statusByCode[code] ?? 500,
    code: null,
    message: error.rawMessage || null,
    fields: {},
    retryAfter: secondsOf(error.metadata.get("retry-after")),
  };
  for (const detail of error.details) {
    if (!("type" in detail) || !(detail.value instanceof Uint8Array)) continue;
    if (detail.type === "google.rpc.ErrorInfo") failure.code = readErrorReason(detail.value);
    if (detail.type === "google.rpc.BadRequest") failure.fields = readFieldViolations(detail.value);
  }
  if (code === deadlineExceeded) return { ...failure, code: "TIMEOUT", message: null };
  // connect-web wraps a fetch that reached nobody; its text is the browser's, not the server's.
  if (error.cause instanceof TypeError) return ours("NETWORK");
  return failure;
}

const deadlineExceeded = 4;

/** HTTP status of a gRPC status code. */
const statusByCode: Partial<Record<number, number>> = {
  1: 499, // canceled
  3: 400, // invalid argument
  [deadlineExceeded]: 504,
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
