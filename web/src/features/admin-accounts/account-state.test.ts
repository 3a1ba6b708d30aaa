import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  AccountSubscriptionSchema,
  SubscriptionAction,
  SubscriptionStatus,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { nextDate, stateOf } from "./account-state";

const day = timestampFromDate(new Date("2027-01-05T18:00:00Z"));

function billed(status: SubscriptionStatus, more: object = {}, active = true) {
  return {
    billed: create(AccountSubscriptionSchema, {
      subscription: { entitlements: { status, active }, ...more },
    }),
  };
}

const { TRIAL, ACTIVE, PAUSED, CANCELED, EXPIRED } = SubscriptionStatus;

describe("the state and next date of an account", () => {
  it.each([
    ["a trial", billed(TRIAL, { trialEnd: day }), "trial", "trialEnds"],
    ["a renewing plan", billed(ACTIVE, { currentPeriodEnd: day }), "active", "renews"],
    [
      "a plan that was canceled at the provider",
      billed(ACTIVE, { currentPeriodEnd: day, cancelAtPeriodEnd: true }),
      "active",
      "ends",
    ],
    [
      "an agreed plan",
      billed(ACTIVE, { currentPeriodEnd: day, actions: [SubscriptionAction.CHECKOUT] }),
      "active",
      "ends",
    ],
    [
      "a failed payment",
      billed(ACTIVE, { currentPeriodEnd: day, graceEnd: day }),
      "pastDue",
      "accessEnds",
    ],
    ["a pause", billed(PAUSED, { pauseEnd: day }, false), "paused", "resumes"],
    ["a canceled plan", billed(CANCELED, { currentPeriodEnd: day }), "canceled", "ends"],
    ["one that is over", billed(CANCELED, { currentPeriodEnd: day }, false), "canceled", "ended"],
    ["an ended plan", billed(EXPIRED, { currentPeriodEnd: day }, false), "expired", "ended"],
    ["an ended trial", billed(EXPIRED, { trialEnd: day }, false), "expired", "trialEnded"],
  ] as const)("of %s", (_, account, state, kind) => {
    expect(stateOf(account)).toBe(state);
    expect(nextDate(account)?.kind).toBe(kind);
  });

  it("are unknown for a company that billing does not know", () => {
    expect(stateOf({ billed: undefined })).toBeNull();
    expect(nextDate({ billed: undefined })).toBeNull();
  });
});
