import type { FuelKindWord } from "#/domain/equipment-words";
import type { CheckedMeter } from "#/domain/reading-check";

/** An entry that is questioned. */
export interface Questioned {
  entry: {
    /** With an increase, what it results in. */
    reading: number | null;
    increase?: number | null | undefined;
    capturedAt: string;
    fuelAdded: number | null;
    fuelKind: FuelKindWord;
  };
  machine: CheckedMeter & { name: string };
  last: { reading: number; at: Date | null };
  repeatedSecondsAgo: number | null;
}
