/** A refusal in the server's words. The client has its own texts by code. */
export interface Sentence {
  code: string | null;
  /** Values for the placeholders of the text. */
  params: Record<string, string>;
  /** English text for a code that this client does not know. */
  text: string | null;
}

/** The common shape of all failed calls. */
export interface Failure {
  /** HTTP status, or 0 without a response. */
  status: number;
  /**
   * Machine-readable reason such as EQUIPMENT_LIMIT_REACHED; NETWORK and TIMEOUT are the client's
   * own.
   */
  code: string | null;
  said: Sentence;
  fields: Record<string, Sentence>;
  /** Seconds to wait before the next attempt, if the server sent them. */
  retryAfter: number | null;
}

/** A response with an error status. Its message is the status, a colon, a space and the body. */
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

/** The gateway's Retry-After header, in seconds. */
export function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : null;
}
