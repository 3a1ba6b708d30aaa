import { difference, sum, type Metered } from "./dial";

export interface MeterEnd {
  final: number;
  start: number;
  reading: number;
}

/**
 * Both scales after a replacement: life-to-date usage grows by what the old meter counted until its
 * end, plus the new meter's count.
 */
export function afterMeterEnd(equipment: Metered, { final, start, reading }: MeterEnd): Metered {
  const counted = sum(difference(final, equipment.meterReading), difference(reading, start));
  return { currentUsage: sum(equipment.currentUsage, counted), meterReading: reading };
}

/** The rollover point: the next power of ten above the reading, at least 1,000. */
export function nextRollover(reading: number): number {
  return 10 ** Math.max(3, String(Math.floor(reading)).length);
}
