import type { MessageInitShape } from "@bufbuild/protobuf";
import * as v from "valibot";
import type {
  ServiceTask,
  ServiceTaskInputSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { calendarUnits, nextDate, readDate } from "#/domain/calendar";
import { calendarUnitOnWire, calendarUnitWord } from "#/domain/equipment-wire";
import { key } from "#/i18n/key";
import { parseDecimal } from "#/shared/form/decimal";
import { largest, pastDay, quantity } from "../form/quantity";
import {
  blankRule,
  isWarningValid,
  needsInterval,
  ruleEntries,
  toRule,
  valuesOfRule,
  warningFields,
} from "../rules/rule-schema";

// Validates by the same rules as the equipment service.

const intervalFields = [["usageInterval"], ["calendarInterval"]] as const;
const calendarFields = [["calendarInterval"], ["calendarUnit"], ["lastDoneOn"]] as const;

export function taskSchema(today: string) {
  return v.pipe(
    v.object({
      name: v.pipe(
        v.string(),
        v.check((text) => text.trim() !== "", key("equipment-detail.tasks.nameRequired")),
        v.check((text) => text.trim().length <= 100, key("equipment-detail.tasks.nameLong")),
      ),
      usageInterval: v.pipe(
        v.string(),
        v.check((text) => {
          const value = parseDecimal(text);
          if (text.trim() === "") return true;
          return Number.isInteger(value) && value !== null && value >= 0 && value <= largest;
        }, key("equipment-form.fields.intervalWhole")),
      ),
      lastDoneUsage: quantity(key("equipment-form.fields.usageLow")),
      calendarInterval: v.pipe(
        v.string(),
        v.regex(/^\d{0,6}$/, key("equipment-form.fields.intervalWhole")),
      ),
      calendarUnit: v.picklist(calendarUnits),
      lastDoneOn: pastDay(today),
      firstDueUsage: quantity(key("equipment-form.fields.usageLow")),
      firstDueDate: v.pipe(
        v.string(),
        v.check(
          (date) => date === "" || readDate(date) !== null,
          key("equipment-form.fields.dateInvalid"),
        ),
      ),
      ...ruleEntries,
    }),
    v.forward(
      v.partialCheck(warningFields, isWarningValid, key("equipment-detail.rules.warningWrong")),
      ["warning"],
    ),
    v.forward(
      v.partialCheck(
        [["warning"], ["usageInterval"]],
        (form) => needsInterval(form.warning, form.usageInterval),
        key("equipment-detail.rules.intervalBlank"),
      ),
      ["warning"],
    ),
    v.forward(
      v.partialCheck(
        [["warningDays"], ["calendarInterval"]],
        (form) => needsInterval(form.warningDays, form.calendarInterval),
        key("equipment-detail.rules.intervalBlank"),
      ),
      ["warningDays"],
    ),
    v.forward(
      v.partialCheck(
        [["firstDueUsage"], ["usageInterval"]],
        (form) => needsInterval(form.firstDueUsage, form.usageInterval),
        key("equipment-detail.rules.intervalBlank"),
      ),
      ["firstDueUsage"],
    ),
    v.forward(
      v.partialCheck(
        [["firstDueDate"], ["calendarInterval"]],
        (form) => needsInterval(form.firstDueDate, form.calendarInterval),
        key("equipment-detail.rules.intervalBlank"),
      ),
      ["firstDueDate"],
    ),
    v.forward(
      v.partialCheck(
        intervalFields,
        (form) => (parseDecimal(form.usageInterval) ?? 0) > 0 || Number(form.calendarInterval) > 0,
        key("equipment-detail.tasks.intervalRequired"),
      ),
      ["usageInterval"],
    ),
    v.forward(
      v.partialCheck(
        calendarFields,
        (form) => {
          const count = Number(form.calendarInterval);
          const start = form.lastDoneOn === "" ? today : readDate(form.lastDoneOn);
          if (!(count > 0) || start === null) return true;
          return nextDate(start, count, form.calendarUnit) !== null;
        },
        key("equipment-form.fields.maintenanceTooFar"),
      ),
      ["calendarInterval"],
    ),
  );
}

export type TaskValues = v.InferOutput<ReturnType<typeof taskSchema>>;
type Input = MessageInitShape<typeof ServiceTaskInputSchema>;

export const blankTask: TaskValues = {
  name: "",
  usageInterval: "",
  lastDoneUsage: "",
  calendarInterval: "",
  calendarUnit: "months",
  lastDoneOn: "",
  firstDueUsage: "",
  firstDueDate: "",
  ...blankRule,
};

export function valuesOfTask(task: ServiceTask): TaskValues {
  return {
    name: task.name,
    usageInterval: task.usageInterval > 0 ? String(task.usageInterval) : "",
    lastDoneUsage: task.lastDoneUsage === undefined ? "" : String(task.lastDoneUsage),
    calendarInterval: task.calendarInterval > 0 ? String(task.calendarInterval) : "",
    calendarUnit: calendarUnitWord(task.calendarUnit),
    lastDoneOn: task.lastDoneOn,
    firstDueUsage: task.firstDueUsage === undefined ? "" : String(task.firstDueUsage),
    firstDueDate: task.firstDueDate,
    ...valuesOfRule(task),
  };
}

/**
 * The service fills in a blank last service: the current meter and today, or none with a first due
 * point.
 */
export function toTaskInput(values: TaskValues): Input {
  const last = parseDecimal(values.lastDoneUsage);
  const count = Number(values.calendarInterval);
  return {
    name: values.name.trim(),
    usageInterval: parseDecimal(values.usageInterval) ?? 0,
    calendarInterval: count,
    firstDueUsage: parseDecimal(values.firstDueUsage) ?? 0,
    firstDueDate: values.firstDueDate,
    ...toRule(values),
    ...(last === null ? {} : { lastDoneUsage: last }),
    ...(count > 0 ? { calendarUnit: calendarUnitOnWire[values.calendarUnit] } : {}),
    ...(count > 0 && values.lastDoneOn !== "" ? { lastDoneOn: values.lastDoneOn } : {}),
  };
}

/** Only changed fields. */
export function toTaskChange(before: TaskValues, after: TaskValues): Input {
  const old: Record<string, unknown> = toTaskInput(before);
  return Object.fromEntries(
    Object.entries(toTaskInput(after)).filter(([name, value]) => value !== old[name]),
  );
}
