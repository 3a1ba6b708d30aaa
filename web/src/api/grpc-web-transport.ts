import type { Interceptor, Transport } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import i18next from "i18next";
import { loadRefusals } from "#/i18n";
import { randomId } from "#/shared/random-id";
import { credentialsFor } from "./cookies";
import { traceparent } from "./traceparent";

const readPrefix = /^(Get|List|Count|Search|Export|Watch)/;

/** Adds the marker that the gateway requires, and an idempotency key to writes without one. */
const headers: Interceptor = (next) => (request) => {
  request.header.set("X-Requested-With", "XMLHttpRequest");
  request.header.set("traceparent", traceparent());
  request.header.set("Accept-Language", i18next.resolvedLanguage ?? "en");
  const reads =
    request.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ||
    readPrefix.test(request.method.name);
  if (!reads && !request.header.has("Idempotency-Key")) {
    request.header.set("Idempotency-Key", randomId());
  }
  return next(request);
};

const texts: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    await loadRefusals();
    throw error;
  }
};

export function createGrpcWeb(baseUrl: string): Transport {
  return createGrpcWebTransport({
    baseUrl,
    useBinaryFormat: true,
    defaultTimeoutMs: 15_000,
    interceptors: [texts, headers],
    fetch: (input, init) =>
      fetch(input, { ...init, credentials: credentialsFor(""), cache: "no-store" }),
  });
}
