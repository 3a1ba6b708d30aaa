import type { FuelKindWord, UnitWord } from "#/domain/equipment-words";
import { useFuelText } from "#/shared/words/meter-text";
import { useMeterText } from "#/shared/words/use-meter-text";

/** "4,812.5 h · 38.0 gal diesel" or "+8 h", and the notes. */
export function UpdateFacts({
  reading,
  increase,
  unit,
  fuelAdded,
  fuelKind,
  fullFill,
  notes,
}: {
  reading: number | null;
  /** Usage added, instead of a reading. */
  increase: number | null;
  unit: UnitWord | undefined;
  fuelAdded: number;
  fuelKind: FuelKindWord;
  fullFill: boolean | undefined;
  notes: string;
}) {
  const meterText = useMeterText();
  const fuelText = useFuelText();
  const figures = [
    increase === null ? null : meterText.difference(0, increase, unit ?? "n/a"),
    reading === null || increase !== null ? null : meterText.amount(reading, unit ?? "n/a"),
    fuelAdded > 0 ? fuelText(fuelAdded, fuelKind, fullFill) : null,
  ].filter((figure) => figure !== null);
  return (
    <>
      {figures.length > 0 && <p>{figures.join(" · ")}</p>}
      {notes && <p className="text-sm break-words whitespace-pre-line text-muted">{notes}</p>}
    </>
  );
}
