import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import * as v from "valibot";
import {
  MeterChange,
  type Equipment,
  type ReplaceMeterRequestSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { nextRollover, type MeterEnd } from "#/domain/meter-end";
import { key } from "#/i18n/key";
import { hasTooManyDecimals, parseDecimal } from "#/shared/form/decimal";
import { readMoment } from "./moment";

const meterEnds = ["replaced", "rolledOver"] as const;
export type MeterEndWord = (typeof meterEnds)[number];

const largest = 1_000_000_000;

function isReading(text: string): boolean {
  const value = parseDecimal(text);
  return value !== null && value >= 0 && value <= largest;
}

const twoDecimals = v.check(
  (text: string) => !hasTooManyDecimals(text),
  key("equipment-form.fields.twoDecimals"),
);

const quantity = v.pipe(
  v.string(),
  twoDecimals,
  v.check(isReading, key("equipment-meters.replace.invalid")),
);

const optionalQuantity = v.pipe(
  v.string(),
  twoDecimals,
  v.check((text) => text.trim() === "" || isReading(text), key("equipment-meters.replace.invalid")),
);

/** The meter when the form opened, or after the latest conflict. */
export type SeenMeter = Pick<Equipment, "meterReading" | "meterReadAt">;

/** Values mirror the screen; they are validated against the latest known meter. */
export function replaceSchema(seen: SeenMeter, now: Date) {
  const later = new Date(now.getTime() + 1);
  return v.pipe(
    v.object({
      way: v.picklist(meterEnds),
      final: quantity,
      start: optionalQuantity,
      reading: optionalQuantity,
      at: v.string(),
      notes: v.pipe(v.string(), v.maxLength(5000, key("equipment-meters.replace.notesLong"))),
    }),
    v.forward(
      v.partialCheck(
        [["final"]],
        ({ final }) => (parseDecimal(final) ?? seen.meterReading) >= seen.meterReading,
        key("equipment-meters.replace.finalLow"),
      ),
      ["final"],
    ),
    v.forward(
      v.partialCheck(
        [["way"], ["start"], ["reading"]],
        (values) => {
          const { start, reading: shown } = newReadings(values);
          return shown >= start;
        },
        key("equipment-meters.replace.readingLow"),
      ),
      ["reading"],
    ),
    v.forward(
      v.partialCheck(
        [["at"]],
        ({ at }) => at === "" || (readMoment(at) ?? later) <= now,
        key("equipment-meters.replace.future"),
      ),
      ["at"],
    ),
    v.forward(
      v.partialCheck(
        [["at"]],
        ({ at }) => at === "" || !isBefore(at, seen),
        key("equipment-meters.replace.early"),
      ),
      ["at"],
    ),
  );
}

export type ReplaceValues = v.InferOutput<ReturnType<typeof replaceSchema>>;

export function blankReplacement(way: MeterEndWord, { meterReading }: SeenMeter): ReplaceValues {
  return { way, final: presetFinal(way, meterReading), start: "0", reading: "", at: "", notes: "" };
}

/** The default of the old meter's final reading. */
export function presetFinal(way: MeterEndWord, meterReading: number): string {
  return String(way === "replaced" ? meterReading : nextRollover(meterReading));
}

interface NewReadings {
  way: MeterEndWord;
  start: string;
  reading: string;
}

/** After a rollover the meter starts at 0; without a reading it shows its starting value. */
function newReadings({ way, start, reading: shown }: NewReadings): {
  start: number;
  reading: number;
} {
  const began = way === "rolledOver" ? 0 : (parseDecimal(start) ?? 0);
  return { start: began, reading: parseDecimal(shown) ?? began };
}

/** The meter after saving; null while the values are invalid. */
export function endOf(values: ReplaceValues, seen: SeenMeter): MeterEnd | null {
  const final = parseDecimal(values.final);
  const { start, reading: shown } = newReadings(values);
  const fits = final !== null && isReading(values.final) && final >= seen.meterReading;
  return fits && start >= 0 && shown >= start ? { final, start, reading: shown } : null;
}

const minute = 60_000;

/** The field has no seconds: the minute of the last reading counts as not before it. */
function isBefore(text: string, { meterReadAt }: SeenMeter): boolean {
  const at = readMoment(text);
  if (at === null || !meterReadAt) return false;
  return at.getTime() + minute <= timestampDate(meterReadAt).getTime();
}

function replacedAt(text: string, { meterReadAt }: SeenMeter) {
  const at = readMoment(text);
  if (at === null) return {};
  const last = meterReadAt && timestampDate(meterReadAt);
  return { replacedAt: last && at < last && meterReadAt ? meterReadAt : timestampFromDate(at) };
}

/** When it happened; defaults to the time the form was opened. */
export function momentOf({ at }: Pick<ReplaceValues, "at">, opened: Date): Date {
  return readMoment(at) ?? opened;
}

export function toReplaceRequest(
  id: string,
  values: ReplaceValues,
  seen: SeenMeter,
): MessageInitShape<typeof ReplaceMeterRequestSchema> {
  const { start, reading: shown } = newReadings(values);
  return {
    id,
    replacement: {
      change: values.way === "replaced" ? MeterChange.REPLACED : MeterChange.ROLLED_OVER,
      finalReading: parseDecimal(values.final) ?? seen.meterReading,
      startReading: start,
    },
    reading: shown,
    ...replacedAt(values.at, seen),
    notes: values.notes.trim(),
    expectedReading: seen.meterReading,
  };
}
