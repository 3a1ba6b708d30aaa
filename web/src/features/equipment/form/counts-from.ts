import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

/**
 * From which usage the regular service will count once what was typed is stored. As the server does
 * it: an interval that begins counts from the current usage unless something else is known.
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
    /** Life-to-date usage as it will be. */
    usage: number;
  },
): number {
  if (!before) return typedLast ?? usage;
  const lastServiced = before.lastServiceUsage ?? 0;
  // What was not changed is not sent, so that the server's rule holds.
  const untouched = (typedLast ?? 0) === lastServiced;
  const begins = !(before.serviceInterval > 0) && interval > 0;
  return begins && untouched && lastServiced === 0 ? usage : (typedLast ?? 0);
}
