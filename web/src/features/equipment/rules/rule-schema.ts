import * as v from "valibot";
import {
  TaskBasis as WireBasis,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { taskBases, type TaskBasis } from "#/domain/service-rules";
import { key } from "#/i18n/key";
import { parseDecimal } from "#/shared/form/decimal";
import { quantity } from "../form/quantity";

// Basis and warning distances, of a service task and of an item of a task set. Validates by the
// same rules as the equipment service.

const warningUnits = ["percent", "usage"] as const;

export const ruleEntries = {
  basis: v.picklist(taskBases),
  warning: quantity(key("equipment-detail.rules.warningWrong")),
  warningUnit: v.picklist(warningUnits),
  warningDays: v.pipe(
    v.string(),
    v.check(
      (text) => text === "" || (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 365),
      key("equipment-detail.rules.daysWrong"),
    ),
  ),
};

export interface RuleValues {
  basis: TaskBasis;
  /** Empty: the usual distance. */
  warning: string;
  warningUnit: (typeof warningUnits)[number];
  /** Empty: the usual distance. */
  warningDays: string;
}

export const blankRule: RuleValues = {
  basis: "last_done",
  warning: "",
  warningUnit: "percent",
  warningDays: "",
};

export const warningFields = [["warning"], ["warningUnit"], ["usageInterval"]] as const;

/** Percentages are whole; usage is below the interval. */
export function isWarningValid(
  values: Pick<RuleValues, "warning" | "warningUnit"> & { usageInterval: string },
): boolean {
  const warning = parseDecimal(values.warning) ?? 0;
  const interval = parseDecimal(values.usageInterval) ?? 0;
  if (warning === 0) return true;
  return values.warningUnit === "usage"
    ? interval === 0 || warning < interval
    : Number.isInteger(warning) && warning <= 99;
}

/** Refuses a value that has no effect because its interval is blank. */
export function needsInterval(value: string, interval: string): boolean {
  return isBlank(value) || !isBlank(interval);
}

function isBlank(text: string): boolean {
  return text.trim() === "" || parseDecimal(text) === 0;
}

type WireRule = Pick<ServiceTask, "basis"> &
  Partial<Pick<ServiceTask, "warningPercent" | "warningUsage" | "warningDays">>;

export function valuesOfRule(rule: WireRule): RuleValues {
  const { warningPercent = 0, warningUsage = 0, warningDays = 0 } = rule;
  return {
    basis: rule.basis === WireBasis.ON_THE_MARK ? "on_the_mark" : "last_done",
    warning: filled(warningUsage || warningPercent),
    warningUnit: warningUsage > 0 ? "usage" : "percent",
    warningDays: filled(warningDays),
  };
}

function filled(value: number): string {
  return value > 0 ? String(value) : "";
}

const basisOnWire: Record<TaskBasis, WireBasis> = {
  last_done: WireBasis.LAST_DONE,
  on_the_mark: WireBasis.ON_THE_MARK,
};

/** 0 is the usual distance. */
export function toRule(values: RuleValues) {
  const warning = parseDecimal(values.warning) ?? 0;
  return {
    basis: basisOnWire[values.basis],
    warningPercent: values.warningUnit === "percent" ? warning : 0,
    warningUsage: values.warningUnit === "usage" ? warning : 0,
    warningDays: Number(values.warningDays),
  };
}

export function isUsualRule(values: RuleValues): boolean {
  return values.basis === "last_done" && values.warning === "" && values.warningDays === "";
}
