import type { FuelKindWord } from "#/domain/equipment-words";
import type { CheckedMeter } from "#/domain/reading-check";

/** An entry that is questioned. */
export interface Questioned {
  entry: {
    reading: number | null;
    capturedAt: string;
    fuelAdded: number | null;
    fuelKind: FuelKindWord;
  };
  machine: CheckedMeter & { name: string };
  last: { reading: number; at: Date | null };
  repeatedSecondsAgo: number | null;
}
