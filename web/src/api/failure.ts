/** The one shape every failed call has, whichever way it was made. */
export interface Failure {
  /** HTTP status, or 0 when no answer came. */
  status: number;
  /** Machine-readable reason such as EQUIPMENT_LIMIT_REACHED; NETWORK and TIMEOUT are our own. */
  code: string | null;
  /** The server's own words, if it gave any. */
  message: string | null;
  fields: Record<string, string>;
  /** After how many seconds another try makes sense, where the server said so. */
  retryAfter: number | null;
}

/** An answer that is not a success. Its message is the status, a colon, a space and the body. */
export class RestError extends Error implements Pick<Failure, "status"> {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: number | null;

  constructor(status: number, body: string, retryAfter: string | null = null) {
    super(`${status}: ${body}`);
    this.name = "RestError";
    this.status = status;
    this.body = body;
    this.retryAfter = secondsOf(retryAfter);
  }
}

/** Retry-After as the gateway writes it, in seconds. */
export function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : null;
}
