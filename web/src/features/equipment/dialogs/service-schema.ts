import * as v from "valibot";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { key } from "#/i18n/key";
import { parseDecimal } from "#/shared/form/decimal";
import { isMoney, parseMoney, pastDay, quantity } from "../form/quantity";

export function serviceSchema(today: string) {
  return v.object({
    performedAt: v.pipe(pastDay(today), v.minLength(1, key("equipment-form.fields.dateInvalid"))),
    /** Null until something is typed: the meter of that day. */
    meter: v.nullable(quantity(key("equipment-form.fields.usageLow"))),
    taskIds: v.pipe(
      v.array(v.string()),
      v.minLength(1, key("equipment-detail.done.tasksRequired")),
    ),
    cost: v.pipe(v.string(), v.check(isMoney, key("equipment-dialogs.serviced.costInvalid"))),
    notes: v.string(),
  });
}

export type ServiceValues = v.InferOutput<ReturnType<typeof serviceSchema>>;

export const newService = (today: string): ServiceValues => ({
  performedAt: today,
  meter: null,
  taskIds: [],
  cost: "",
  notes: "",
});

/** The fields that every service has. `seen` is the machine as the form shows it. */
export function toService(values: ServiceValues, seen: Pick<Equipment, "meterReading">) {
  const meter = parseDecimal(values.meter ?? "");
  const cost = parseMoney(values.cost);
  return {
    performedAt: values.performedAt,
    notes: values.notes.trim(),
    ...(meter === null ? {} : { meter }),
    ...(cost === null ? {} : { cost }),
    expectedReading: seen.meterReading,
  };
}
