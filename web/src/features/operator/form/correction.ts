import i18next from "i18next";
import * as v from "valibot";
import { instantSchema, readAt, type OwnUpdate } from "../offline-data/own-update";
import type { OutboxEntry } from "../send/outbox-entry";
import { toValues, updateValuesSchema } from "./schema";

/** A refused, rejected or withdrawn update that is being corrected in the form. */
export const correctionSchema = v.object({
  key: v.string(),
  values: updateValuesSchema,
  equipmentId: v.string(),
  equipmentName: v.string(),
  reason: v.string(),
  withdrawn: v.optional(v.boolean(), false),
  capturedAt: instantSchema,
  /** Whether enough time has passed that the operator may have read the meter again. */
  mayBeReadAgain: v.boolean(),
  /** Id of the stored entry that the correction replaces. */
  replacedId: v.nullable(v.string()),
  /** Id of the rejected update that the correction answers. */
  updateId: v.nullable(v.string()),
});

export type Correction = v.InferOutput<typeof correctionSchema>;

const readAgainAfterMs = 15 * 60_000;

function timesOf(capturedAt: Date): Pick<Correction, "capturedAt" | "mayBeReadAgain"> {
  return { capturedAt, mayBeReadAgain: Date.now() - capturedAt.getTime() > readAgainAfterMs };
}

/** Corrects an entry that the server refused and did not store. */
export function correctionOfEntry(entry: OutboxEntry): Correction {
  return {
    key: entry.clientId,
    values: toValues(entry),
    equipmentId: entry.equipmentId,
    equipmentName: entry.equipmentName,
    reason: entry.reason ?? "",
    withdrawn: false,
    ...timesOf(new Date(entry.capturedAt)),
    replacedId: entry.clientId,
    updateId: null,
  };
}

/** Corrects a rejected or withdrawn update, which stays unchanged. The correction is a new update. */
export function correctionOfUpdate(update: OwnUpdate): Correction {
  return {
    key: update.id,
    values: toValues({
      equipmentId: update.equipmentId,
      reading: update.newUsage,
      increase: update.usageIncrease,
      fuelAdded: update.fuelAdded > 0 ? update.fuelAdded : null,
      fuelKind: update.fuelType,
      fullFill: update.fullFill,
      // The corrected value may not need the note of the check; it is added again if it does.
      notes: withoutLine(update.notes, i18next.t("operator.check.replacedNote")),
    }),
    equipmentId: update.equipmentId,
    equipmentName: update.equipmentName,
    reason: update.rejectReason ?? "",
    withdrawn: update.withdrawn,
    ...timesOf(readAt(update)),
    replacedId: null,
    updateId: update.id,
  };
}

const withoutLine = (text: string, line: string) =>
  text
    .split("\n")
    .filter((each) => each !== line)
    .join("\n");

/** For a correction restored from a draft, because time has passed since. */
export function withCurrentTimes(correction: Correction): Correction {
  return { ...correction, ...timesOf(correction.capturedAt) };
}
