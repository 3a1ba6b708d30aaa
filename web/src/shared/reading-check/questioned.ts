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
  /** `own`: with this user's reports that are not applied yet. */
  last: { reading: number; at: Date | null; own?: boolean };
  repeatedSecondsAgo: number | null;
}
