/** What the server says of a refusal. The client has texts of its own by code. */
export interface Sentence {
  code: string | null;
  /** Values for the placeholders of the text. */
  params: Record<string, string>;
  /** The server's English words, for a code that this client does not know. */
  text: string | null;
}

/** The one shape every failed call has, whichever way it was made. */
export interface Failure {
  /** HTTP status, or 0 when no answer came. */
  status: number;
  /** Machine-readable reason such as EQUIPMENT_LIMIT_REACHED; NETWORK and TIMEOUT are our own. */
  code: string | null;
  said: Sentence;
  fields: Record<string, Sentence>;
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
