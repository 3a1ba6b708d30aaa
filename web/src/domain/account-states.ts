import type { StatusWord } from "./subscription-words";

/** The state of a company's subscription; "past due" is an active one whose last payment failed. */
export type AccountState = StatusWord | "pastDue";

export const accountStates = [
  "trial",
  "active",
  "pastDue",
  "paused",
  "canceled",
  "expired",
] as const satisfies AccountState[];
