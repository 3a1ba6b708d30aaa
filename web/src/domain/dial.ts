import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

// Two scales. Life-to-date usage is the count of all meters of a machine; due points, lifespan and
// history use it. The dial is what the current meter shows. Without a replaced meter both are
// equal.

export type Metered = Pick<Equipment, "currentUsage" | "meterReading">;

/** The share of earlier meters; negative if a new one started above the old one's end. */
export function dialOffset({ currentUsage, meterReading }: Metered): number {
  return difference(currentUsage, meterReading);
}

/** Whether the scales differ, so that figures have to name theirs. */
export function hasEarlierMeters(equipment: Metered): boolean {
  return dialOffset(equipment) !== 0;
}

/** Converts life-to-date usage to the dial; negative: the dial never shows it. */
export function onDial(equipment: Metered, usage: number): number {
  return difference(usage, dialOffset(equipment));
}

/** Converts the dial to life-to-date usage. */
export function lifeToDate(equipment: Metered, reading: number): number {
  return sum(reading, dialOffset(equipment));
}

/** Rounds to two decimals to remove floating-point remainders. */
export function difference(from: number, less: number): number {
  return (hundredths(from) - hundredths(less)) / 100;
}

export function sum(one: number, other: number): number {
  return (hundredths(one) + hundredths(other)) / 100;
}

function hundredths(quantity: number): number {
  return Math.round(quantity * 100);
}
