import type { FuelKindWord, UnitWord } from "#/domain/equipment-words";
import { useFuelText } from "#/shared/words/meter-text";
import { useMeterText } from "../use-meter-text";

/** "4,812.5 h · 38.0 gal diesel" and the notes. */
export function UpdateFacts({
  reading,
  unit,
  fuelAdded,
  fuelKind,
  notes,
}: {
  reading: number | null;
  unit: UnitWord | undefined;
  fuelAdded: number;
  fuelKind: FuelKindWord;
  notes: string;
}) {
  const meterText = useMeterText();
  const fuelText = useFuelText();
  const figures = [
    reading === null ? null : meterText.amount(reading, unit ?? "n/a"),
    fuelAdded > 0 ? fuelText(fuelAdded, fuelKind) : null,
  ].filter((figure) => figure !== null);
  return (
    <>
      {figures.length > 0 && <p>{figures.join(" · ")}</p>}
      {notes && <p className="text-sm break-words whitespace-pre-line text-muted">{notes}</p>}
    </>
  );
}
