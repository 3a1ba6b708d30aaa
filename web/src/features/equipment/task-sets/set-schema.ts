import type { MessageInitShape } from "@bufbuild/protobuf";
import * as v from "valibot";
import type { TaskSet, TaskSetInputSchema } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { calendarUnits } from "#/domain/calendar";
import {
  calendarUnitOnWire,
  calendarUnitWord,
  unitOnWire,
  unitWord,
} from "#/domain/equipment-wire";
import { meterUnits } from "#/domain/equipment-words";
import { key } from "#/i18n/key";
import { parseDecimal } from "#/shared/form/decimal";
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

const largest = 1_000_000_000;

const name = v.pipe(
  v.string(),
  v.check((text) => text.trim() !== "", key("equipment-detail.tasks.nameRequired")),
  v.check((text) => text.trim().length <= 100, key("equipment-detail.tasks.nameLong")),
);

const itemSchema = v.pipe(
  v.object({
    id: v.string(),
    name,
    usageInterval: v.pipe(
      v.string(),
      v.check((text) => {
        const value = text.trim() === "" ? 0 : parseDecimal(text);
        return value !== null && Number.isInteger(value) && value >= 0 && value <= largest;
      }, key("equipment-form.fields.intervalWhole")),
    ),
    calendarInterval: v.pipe(
      v.string(),
      v.regex(/^\d{0,6}$/, key("equipment-form.fields.intervalWhole")),
    ),
    calendarUnit: v.picklist(calendarUnits),
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
      [["usageInterval"], ["calendarInterval"]],
      (item) => counts(item.usageInterval) || Number(item.calendarInterval) > 0,
      key("equipment-detail.tasks.intervalRequired"),
    ),
    ["usageInterval"],
  ),
);

export const setSchema = v.pipe(
  v.object({ name, unit: v.picklist(meterUnits), items: v.array(itemSchema) }),
  v.forward(
    v.partialCheck(
      [["unit"], ["items"]],
      (set) => set.unit !== "n/a" || !set.items.some((item) => counts(item.usageInterval)),
      key("task-sets.editor.unitRequired"),
    ),
    ["unit"],
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const seen = new Set<string>();
    value.items.forEach((item, index) => {
      const word = item.name.trim().toLowerCase();
      if (word !== "" && seen.has(word)) {
        addIssue({
          message: key("task-sets.editor.nameRepeated"),
          path: [
            { type: "object", origin: "value", input: value, key: "items", value: value.items },
            { type: "array", origin: "value", input: value.items, key: index, value: item },
            { type: "object", origin: "value", input: item, key: "name", value: item.name },
          ],
        });
      }
      seen.add(word);
    });
  }),
);

function counts(interval: string): boolean {
  return (parseDecimal(interval) ?? 0) > 0;
}

export type SetValues = v.InferOutput<typeof setSchema>;

export const blankItem: SetValues["items"][number] = {
  id: "",
  name: "",
  usageInterval: "",
  calendarInterval: "",
  calendarUnit: "months",
  ...blankRule,
};

export function valuesOfSet(set: TaskSet): SetValues {
  return {
    name: set.name,
    unit: unitWord(set.unit),
    items: set.items.map((item) => ({
      id: item.id,
      name: item.name,
      usageInterval: item.usageInterval > 0 ? String(item.usageInterval) : "",
      calendarInterval: item.calendarInterval > 0 ? String(item.calendarInterval) : "",
      calendarUnit: calendarUnitWord(item.calendarUnit),
      ...valuesOfRule(item),
    })),
  };
}

export function toSetInput(values: SetValues): MessageInitShape<typeof TaskSetInputSchema> {
  return {
    name: values.name.trim(),
    unit: unitOnWire[values.unit],
    items: values.items.map((item) => ({
      id: item.id,
      name: item.name.trim(),
      usageInterval: parseDecimal(item.usageInterval) ?? 0,
      calendarInterval: Number(item.calendarInterval),
      calendarUnit: calendarUnitOnWire[item.calendarUnit],
      ...toRule(item),
    })),
  };
}
