import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

/**
 * The usage from which the regular service counts after saving. Same rule as the server: a new
 * interval counts from the current usage unless a last service is given.
 */
export function countsFrom(
  before: Pick<Equipment, "serviceInterval" | "lastServiceUsage"> | null,
  {
    typedLast,
    interval,
    usage,
  }: {
    /** Null: the field is empty. */
    typedLast: number | null;
    interval: number;
    /** Life-to-date usage after saving. */
    usage: number;
  },
): number {
  if (!before) return typedLast ?? usage;
  const lastServiced = before.lastServiceUsage ?? 0;
  // Unchanged fields are not sent, so the server's rule applies.
  const untouched = (typedLast ?? 0) === lastServiced;
  const begins = !(before.serviceInterval > 0) && interval > 0;
  return begins && untouched && lastServiced === 0 ? usage : (typedLast ?? 0);
}
