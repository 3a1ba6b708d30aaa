import * as v from "valibot";
import { MeterChange } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { key } from "#/i18n/key";
import { readingOf } from "./reading";

export type ChangeKind = "replaced" | "rolledOver";

export const changeOnWire: Record<ChangeKind, MeterChange> = {
  replaced: MeterChange.REPLACED,
  rolledOver: MeterChange.ROLLED_OVER,
};

const quantity = v.pipe(
  v.string(),
  v.check((text) => readingOf(text) !== null, key("review.meter.invalid")),
);

export const meterSchema = v.object({ final: quantity, start: quantity });
export type MeterValues = v.InferOutput<typeof meterSchema>;
