/** The one shape every failed call has, whichever way it was made. */
export interface Failure {
  /** HTTP status, or 0 when no answer came. */
  status: number;
  /** Machine-readable reason such as EQUIPMENT_LIMIT_REACHED; NETWORK and TIMEOUT are our own. */
  code: string | null;
  /** The server's own words, if it gave any. */
  message: string | null;
  fields: Record<string, string>;
}

/** An answer that is not a success. Its message is the status, a colon, a space and the body. */
export class RestError extends Error implements Pick<Failure, "status"> {
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super(`${status}: ${body}`);
    this.name = "RestError";
    this.status = status;
    this.body = body;
  }
}
