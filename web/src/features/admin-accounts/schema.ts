import * as v from "valibot";
import { key } from "#/i18n/key";
import type { Account } from "./queries";

const maxEquipment = 1_000_000;

/** Counts code points, like the server. */
const length = (text: string) => Array.from(text.trim()).length;

/** Invisible characters are not a reason. */
const visible = (text: string) =>
  text.replaceAll(/[\u{200B}-\u{200F}\u{2060}-\u{2064}\u{FEFF}\u{AD}]/gu, "");

const reason = v.pipe(
  v.string(),
  v.check((text) => length(visible(text)) >= 10, key("admin-accounts.reason.short")),
  v.check((text) => length(text) <= 500, key("admin-accounts.reason.long")),
);

export const reasonSchema = v.object({ reason });

export const limitKinds = ["plan", "number", "none"] as const;
export type LimitKind = (typeof limitKinds)[number];

export const limitSchema = v.pipe(
  v.object({ kind: v.picklist(limitKinds), equipmentLimit: v.string(), reason }),
  v.forward(
    v.partialCheck(
      [["kind"], ["equipmentLimit"]],
      ({ kind, equipmentLimit }) => kind !== "number" || readCount(equipmentLimit) !== null,
      key("admin-accounts.limit.countInvalid"),
    ),
    ["equipmentLimit"],
  ),
);
export type LimitValues = v.InferOutput<typeof limitSchema>;

/** The current limit as the initial value. */
export function limitValues(account: Account): LimitValues {
  const override = account.billed?.equipmentLimitOverride;
  const shown = override ?? account.billed?.subscription?.entitlements?.equipmentLimit;
  return {
    kind: override === undefined ? "plan" : override === -1 ? "none" : "number",
    equipmentLimit: shown !== undefined && shown >= 0 ? String(shown) : "",
    reason: "",
  };
}

/** The limit in the request: −1 is none, null is the plan's own. */
export function limitOf({ kind, equipmentLimit }: LimitValues): number | null {
  switch (kind) {
    case "plan":
      return null;
    case "none":
      return -1;
    case "number":
      return readCount(equipmentLimit);
  }
}

export const maxTrialDays = 365;
export const maxPlanDays = 3660;

export const trialSchema = v.object({
  days: v.pipe(
    v.string(),
    v.check((text) => readDays(text, maxTrialDays) !== null, key("admin-accounts.trial.invalid")),
  ),
  reason,
});

export const planTiers = ["basic", "professional", "enterprise"] as const;

export const planSchema = v.object({
  tier: v.picklist(planTiers),
  days: v.pipe(
    v.string(),
    v.check((text) => readDays(text, maxPlanDays) !== null, key("admin-accounts.plan.invalid")),
  ),
  reason,
});

/** Whole days from today, at least one. */
export function readDays(text: string, most: number): number | null {
  const days = readCount(text);
  return days !== null && days >= 1 && days <= most ? days : null;
}

/** Accepts "1500", "1,500" and "1 500"; null for anything else. */
function readCount(text: string): number | null {
  const compact = text.replaceAll(/[\s\u00a0\u202f]/g, "");
  if (!/^(\d{1,7}|\d{1,3}(,\d{3})+)$/.test(compact)) return null;
  const count = Number(compact.replaceAll(",", ""));
  return count <= maxEquipment ? count : null;
}
