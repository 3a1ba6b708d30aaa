import { HistoryKind, type HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { onDial, type Metered } from "#/domain/dial";
import { showsMeter } from "../later-records";

/**
 * The day of the last service without a meter value that counts from a higher meter if an update is
 * applied. Undefined: none. `later`: see `laterRecords`.
 */
export function serviceRaised(
  { newUsage }: Pick<OperatorUpdate, "newUsage">,
  equipment: Metered,
  later: readonly HistoryRecord[],
): string | undefined {
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
