import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  HistoryKind,
  type Equipment,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { meterDifference } from "#/shared/words/meter-text";

/** The records captured after an update, oldest first, without voided ones. `records` are newest first. */
export function laterRecords(captured: Date, records: readonly HistoryRecord[]): HistoryRecord[] {
  return records
    .filter(
      ({ voiding, capturedAt }) => !voiding && capturedAt && timestampDate(capturedAt) > captured,
    )
    .toReversed();
}

/** Whether it says what the meter showed: a reading, a corrected meter or a new one. */
export function showsMeter({ kind, reading, usage }: HistoryRecord): boolean {
  const isCorrected = kind === HistoryKind.EDIT && usage !== undefined;
  return isCorrected || reading !== undefined || kind === HistoryKind.METER;
}

/** Whether it can also lower the meter. A service can't: its hour is unknown. */
export function setsMeter(record: HistoryRecord): boolean {
  return record.kind !== HistoryKind.SERVICE && showsMeter(record);
}

/**
 * The first later service whose meter value is lower than a reading, and the meter after the reading
 * is applied. Undefined: there is none, or the meter is not raised. `later`: see `laterRecords`.
 */
export function meterRaised(
  { newUsage }: Pick<OperatorUpdate, "newUsage">,
  { meterReading }: Pick<Equipment, "meterReading">,
  later: readonly HistoryRecord[],
): { day: string; service: number; meter: number } | undefined {
  if (newUsage === undefined || later.some(setsMeter)) return undefined;
  const found = later.find(({ reading }) => reading !== undefined && reading < newUsage);
  if (found?.reading === undefined) return undefined;
  const meter = later.reduce(
    (shown, { reading, usage, usageBefore }) =>
      reading === undefined
        ? shown + meterDifference(usageBefore ?? 0, usage ?? 0)
        : Math.max(shown, reading),
    newUsage,
  );
  return meter > meterReading
    ? { day: found.performedOn, service: found.reading, meter }
    : undefined;
}
