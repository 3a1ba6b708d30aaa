import { Code, ConnectError } from "@connectrpc/connect";
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
  if (error instanceof ConnectError) return fromConnect(error);
  if (error instanceof DOMException && error.name === "TimeoutError") return ours("TIMEOUT");
  // fetch reports every failure to reach the server as a TypeError.
  if (error instanceof TypeError) return ours("NETWORK");
  return ours("UNKNOWN");
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
  const failure: Failure = {
    status: statusOf(error.code),
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
  if (error.code === Code.DeadlineExceeded) return { ...failure, code: "TIMEOUT", message: null };
  // connect-web wraps a fetch that reached nobody; its text is the browser's, not the server's.
  if (error.cause instanceof TypeError) return ours("NETWORK");
  return failure;
}

function statusOf(code: Code): number {
  switch (code) {
    case Code.InvalidArgument:
    case Code.OutOfRange:
      return 400;
    case Code.Unauthenticated:
      return 401;
    case Code.PermissionDenied:
      return 403;
    case Code.NotFound:
      return 404;
    case Code.AlreadyExists:
    case Code.Aborted:
    case Code.FailedPrecondition:
      return 409;
    case Code.ResourceExhausted:
      return 429;
    case Code.Unimplemented:
      return 501;
    case Code.Unavailable:
      return 503;
    case Code.DeadlineExceeded:
      return 504;
    case Code.Canceled:
      return 499;
    case Code.Unknown:
    case Code.Internal:
    case Code.DataLoss:
      return 500;
  }
}
