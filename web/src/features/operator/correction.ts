import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { fuelKindWord } from "#/domain/equipment-words";
import type { OutboxEntry } from "./outbox-entry";
import { toValues, type UpdateValues } from "./schema";

/** What was not accepted, back in the form. */
export interface Correction {
  key: string;
  values: UpdateValues;
  equipmentId: string;
  equipmentName: string;
  reason: string;
  /** When the reading was taken. */
  capturedAt: Date;
  /** Whether that is long enough ago for somebody to have gone back and read it again. */
  mayBeReadAgain: boolean;
  /** The entry on this phone that the corrected one takes the place of. */
  replacedId: string | null;
  /** The rejected submission that the corrected one answers. */
  updateId: string | null;
}

const readAgainAfterMs = 15 * 60_000;

function readAt(capturedAt: Date): Pick<Correction, "capturedAt" | "mayBeReadAgain"> {
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
    ...readAt(new Date(entry.capturedAt)),
    replacedId: entry.clientId,
    updateId: null,
  };
}

/** A submission that the manager rejected. It stays as it is; the corrected one is a new one. */
export function correctionOfUpdate(update: OperatorUpdate): Correction {
  const at = update.capturedAt ?? update.createdAt;
  return {
    key: update.id,
    values: toValues({
      equipmentId: update.equipmentId,
      reading: update.newUsage ?? null,
      fuelAdded: update.fuelAdded > 0 ? update.fuelAdded : null,
      fuelKind: fuelKindWord(update.fuelKind),
      notes: update.notes,
    }),
    equipmentId: update.equipmentId,
    equipmentName: update.equipmentName,
    reason: update.rejectReason,
    ...readAt(at ? timestampDate(at) : new Date()),
    replacedId: null,
    updateId: update.id,
  };
}
