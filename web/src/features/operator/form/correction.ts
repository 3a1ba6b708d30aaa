import * as v from "valibot";
import { readAt, type OwnUpdate } from "../offline-data/own-update";
import type { OutboxEntry } from "../send/outbox-entry";
import { toValues, updateValuesSchema } from "./schema";

/** What was not accepted, back in the form. */
export const correctionSchema = v.object({
  key: v.string(),
  values: updateValuesSchema,
  equipmentId: v.string(),
  equipmentName: v.string(),
  reason: v.string(),
  /** When the reading was taken. */
  capturedAt: v.date(),
  /** Whether that is long enough ago for somebody to have gone back and read it again. */
  mayBeReadAgain: v.boolean(),
  /** The entry on this phone that the corrected one takes the place of. */
  replacedId: v.nullable(v.string()),
  /** The rejected submission that the corrected one answers. */
  updateId: v.nullable(v.string()),
});

export type Correction = v.InferOutput<typeof correctionSchema>;

const readAgainAfterMs = 15 * 60_000;

function timesOf(capturedAt: Date): Pick<Correction, "capturedAt" | "mayBeReadAgain"> {
  return { capturedAt, mayBeReadAgain: Date.now() - capturedAt.getTime() > readAgainAfterMs };
}

/** An entry that the server refused: it never became a submission. */
export function correctionOfEntry(entry: OutboxEntry): Correction {
  return {
    key: entry.clientId,
    values: toValues(entry),
    equipmentId: entry.equipmentId,
    equipmentName: entry.equipmentName,
    reason: entry.reason ?? "",
    ...timesOf(new Date(entry.capturedAt)),
    replacedId: entry.clientId,
    updateId: null,
  };
}

/** A submission that the manager rejected. It stays as it is; the corrected one is a new one. */
export function correctionOfUpdate(update: OwnUpdate): Correction {
  return {
    key: update.id,
    values: toValues({
      equipmentId: update.equipmentId,
      reading: update.newUsage,
      fuelAdded: update.fuelAdded > 0 ? update.fuelAdded : null,
      fuelKind: update.fuelType,
      notes: update.notes,
    }),
    equipmentId: update.equipmentId,
    equipmentName: update.equipmentName,
    reason: update.rejectReason ?? "",
    ...timesOf(readAt(update)),
    replacedId: null,
    updateId: update.id,
  };
}

/** One that was begun and left lying: time has gone by since. */
export function correctionAgain(correction: Correction): Correction {
  return { ...correction, ...timesOf(correction.capturedAt) };
}
