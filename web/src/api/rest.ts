import i18next from "i18next";
import * as v from "valibot";
import { loadRefusals } from "#/i18n";
import { randomId } from "#/shared/random-id";
import { credentialsFor } from "./cookies";
import { RestError } from "./failure";
import { noteServerTime } from "./server-clock";
import { traceparent } from "./traceparent";

const timeoutMs = 15_000;

export interface RestOptions {
  body?: unknown;
  /** The same key for every repeat of one action; generated if omitted. */
  idempotencyKey?: string;
  /**
   * The id of the user whose data this is: the gateway refuses the call if another user is signed
   * in.
   */
  expectedUser?: string;
  /** Sends no cookie, which may be that of a previous user of this phone. */
  anonymous?: boolean;
  signal?: AbortSignal;
}

async function send(method: string, path: string, options: RestOptions = {}): Promise<Response> {
  const headers = new Headers({
    Accept: "application/json",
    "Accept-Language": i18next.resolvedLanguage ?? "en",
    // The gateway refuses writes without this marker of the site's own pages.
    "X-Requested-With": "XMLHttpRequest",
    traceparent: traceparent(),
  });
  if (options.expectedUser !== undefined) headers.set("X-Expected-User", options.expectedUser);
  if (method !== "GET") {
    headers.set("Content-Type", "application/json");
    headers.set("Idempotency-Key", options.idempotencyKey ?? randomId());
  }
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(path, {
    method,
    headers,
    credentials: options.anonymous ? "omit" : credentialsFor(path),
    cache: "no-store",
    signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    ...(method === "GET" ? {} : { body: JSON.stringify(options.body ?? {}) }),
  });
  noteServerTime(response.headers.get("Date"));
  if (!response.ok) {
    const [text] = await Promise.all([response.text(), loadRefusals()]);
    const body = text || response.statusText;
    throw new RestError(response.status, body, response.headers.get("Retry-After"));
  }
  return response;
}

/** Calls the gateway and validates the response against `schema`. */
export async function rest<Schema extends v.GenericSchema>(
  method: "GET" | "POST" | "PUT" | "PATCH",
  path: string,
  schema: Schema,
  options?: RestOptions,
): Promise<v.InferOutput<Schema>> {
  const response = await send(method, path, options);
  return v.parse(schema, await response.json());
}

/** For calls without a response body, or with an unused one. */
export async function restVoid(
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  options?: RestOptions,
): Promise<void> {
  await send(method, path, options);
}

export interface RestPage<Row> {
  rows: Row[];
  /** The cursor of the next page; null on the last page. */
  nextCursor: string | null;
}

/** One page of a list; `row` validates its rows. */
export async function restPage<Row extends v.GenericSchema>(
  path: string,
  row: Row,
  options?: RestOptions,
): Promise<RestPage<v.InferOutput<Row>>> {
  const { text, nextCursor } = await restList(path, options);
  return { rows: v.parse(v.pipe(v.string(), v.parseJson(), v.array(row)), text), nextCursor };
}

/** One page of a list as JSON text; a header has the cursor of the next page. */
export async function restList(
  path: string,
  options?: RestOptions,
): Promise<{ text: string; nextCursor: string | null }> {
  const response = await send("GET", path, options);
  return { text: await response.text(), nextCursor: response.headers.get("X-Next-Cursor") || null };
}
