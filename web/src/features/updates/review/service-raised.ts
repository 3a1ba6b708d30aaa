import { timestampDate } from "@bufbuild/protobuf/wkt";
import { HistoryKind, type HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { onDial, type Metered } from "#/domain/dial";

/**
 * The day of the last service without a meter value that counts from a higher meter if an update is
 * applied. Undefined: none. `records` are newest first.
 */
export function serviceRaised(
  { newUsage }: Pick<OperatorUpdate, "newUsage">,
  equipment: Metered,
  captured: Date,
  records: readonly HistoryRecord[],
): string | undefined {
  const later = records
    .filter(
      ({ voiding, capturedAt }) => !voiding && capturedAt && timestampDate(capturedAt) > captured,
    )
    .toReversed();
  // The next reading sets the meter, whatever was reported before it.
  const read = later.findIndex(showsMeter);
  const moved = later.slice(0, read === -1 ? later.length : read);
  // An increase adds nothing to a meter that was never read.
  const isRaised = ({ kind, usage }: HistoryRecord) =>
    kind === HistoryKind.SERVICE && usage !== undefined;
  const day = moved.findLast(isRaised)?.performedOn;
  if (newUsage === undefined) return day;
  // The readings of two meters can't be compared.
  if (later.some(({ kind }) => kind === HistoryKind.METER)) return undefined;
  const before = moved.find(({ usageBefore }) => usageBefore !== undefined)?.usageBefore;
  return before !== undefined && newUsage > onDial(equipment, before) ? day : undefined;
}

/** Whether it says what the meter showed: a reading, a corrected meter or a new one. */
function showsMeter({ kind, reading, usage }: HistoryRecord): boolean {
  const adds = kind === HistoryKind.USAGE || kind === HistoryKind.SERVICE;
  return reading !== undefined || (usage !== undefined && !adds);
}
