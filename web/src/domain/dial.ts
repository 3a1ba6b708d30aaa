import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

// Two scales. Life-to-date usage is what all meters of a machine have counted; due points, lifespan
// and history are on it. The dial is what the meter in use shows. Without a replaced meter both are
// the same.

export type Metered = Pick<Equipment, "currentUsage" | "meterReading">;

/** What earlier meters account for; below 0 where a new one began above the old one's end. */
export function dialOffset({ currentUsage, meterReading }: Metered): number {
  return difference(currentUsage, meterReading);
}

/** Whether the two scales are apart, so that a figure has to say which one it is on. */
export function hasEarlierMeters(equipment: Metered): boolean {
  return dialOffset(equipment) !== 0;
}

/** A figure of life-to-date usage as the dial will show it; below 0: that dial never will. */
export function onDial(equipment: Metered, usage: number): number {
  return difference(usage, dialOffset(equipment));
}

/** What the dial shows as life-to-date usage. */
export function lifeToDate(equipment: Metered, reading: number): number {
  return sum(reading, dialOffset(equipment));
}

/** The end of a meter and the beginning of the next, and what that one shows now. */
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

/** Where a meter begins again: the next power of ten above what it shows, 1,000 at least. */
export function nextRollover(reading: number): number {
  return 10 ** Math.max(3, String(Math.floor(reading)).length);
}

/** Quantities have two decimals; a floating remainder must be neither shown nor compared. */
function difference(from: number, less: number): number {
  return (hundredths(from) - hundredths(less)) / 100;
}

function sum(one: number, other: number): number {
  return (hundredths(one) + hundredths(other)) / 100;
}

function hundredths(quantity: number): number {
  return Math.round(quantity * 100);
}
