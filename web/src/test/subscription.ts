import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  EntitlementsSchema,
  PaymentProvider,
  SubscriptionAction as Action,
  SubscriptionSchema,
  SubscriptionStatus as Status,
  Tier,
  type Entitlements,
  type Subscription,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";

type Fields<Message> = Partial<Omit<Message, "$typeName" | "$unknown">>;
type Init = Fields<Omit<Subscription, "entitlements">> & { entitlements?: Fields<Entitlements> };

export const on = (year: number, month: number, day: number) =>
  timestampFromDate(new Date(Date.UTC(year, month - 1, day, 15)));

const now = on(2026, 11, 21);

function make({ entitlements, ...init }: Init): Subscription {
  return create(SubscriptionSchema, {
    provider: PaymentProvider.STRIPE,
    now,
    ...init,
    entitlements: create(EntitlementsSchema, entitlements),
  });
}

export function aTrial(more: Init = {}): Subscription {
  return make({
    entitlements: { tier: Tier.BASIC, status: Status.TRIAL, active: true, equipmentLimit: 15 },
    trialEnd: on(2026, 12, 18),
    trialDaysLeft: 27,
    actions: [Action.CHECKOUT, Action.CANCEL],
    ...more,
  });
}

/** Professional, paid monthly, with the given changes. */
export function aPlan(
  status: Status,
  {
    active = true,
    tier = Tier.PROFESSIONAL,
    limit = 30,
    ...more
  }: Init & {
    active?: boolean;
    tier?: Tier;
    limit?: number;
  } = {},
): Subscription {
  const premium = active && tier !== Tier.BASIC;
  return make({
    entitlements: {
      tier,
      status,
      active,
      equipmentLimit: limit,
      fuelAnalytics: premium,
      partsEntry: premium,
    },
    billingInterval: "month",
    currentPeriodEnd: on(2026, 12, 14),
    hasPortal: true,
    ...more,
  });
}

export const anActive = (more: Parameters<typeof aPlan>[1] = {}) =>
  aPlan(Status.ACTIVE, { actions: [Action.CHANGE_PLAN, Action.PAUSE, Action.CANCEL], ...more });

export const aGrace = () =>
  aPlan(Status.ACTIVE, { actions: [Action.CANCEL], graceEnd: on(2026, 11, 28) });

export const aPaused = (more: Parameters<typeof aPlan>[1] = {}) =>
  aPlan(Status.PAUSED, {
    active: false,
    actions: [Action.REACTIVATE, Action.CANCEL],
    pauseEnd: on(2027, 2, 21),
    ...more,
  });

export const aCanceled = () =>
  aPlan(Status.CANCELED, { actions: [Action.REACTIVATE], cancelAtPeriodEnd: true });

export const anExpired = () => aPlan(Status.EXPIRED, { active: false, actions: [Action.CHECKOUT] });

export const anAgreed = () =>
  aPlan(Status.ACTIVE, {
    actions: [Action.CHECKOUT, Action.CANCEL],
    billingInterval: "",
    hasPortal: false,
  });
