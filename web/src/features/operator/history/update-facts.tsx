import { useTranslation } from "react-i18next";
import type { FuelKindWord, UnitWord } from "#/domain/equipment-words";
import type { OutboxEntry } from "../send/outbox-entry";
import type { OwnUpdate } from "../offline-data/own-update";
import { useFuelText } from "#/shared/words/meter-text";
import { useNotesText } from "#/shared/words/replaced-note";
import { useMeterText } from "#/shared/words/use-meter-text";

interface Facts {
  reading: number | null;
  /** Usage added, instead of a reading. */
  increase: number | null;
  unit: UnitWord | undefined;
  fuelAdded: number;
  fuelKind: FuelKindWord;
  fullFill: boolean | undefined;
  notes: string;
}

/** `unit`: the machine's, which may have changed since. */
export const factsOf = (update: OwnUpdate, unit: UnitWord | undefined): Facts => ({
  reading: update.newUsage,
  increase: update.usageIncrease,
  unit: update.unit ?? unit,
  fuelAdded: update.fuelAdded,
  fuelKind: update.fuelType,
  fullFill: update.fullFill,
  notes: update.notes,
});

export const factsOfEntry = (entry: OutboxEntry, unit: UnitWord | undefined): Facts => ({
  ...entry,
  increase: entry.increase ?? null,
  unit: entry.unit ?? unit,
  fuelAdded: entry.fuelAdded ?? 0,
  fullFill: entry.fullFill,
});

/** "4,812.5 h · 38.0 gal diesel" or "+8 h", and the notes. */
export function UpdateFacts(facts: Facts) {
  const figures = useFigures()(facts);
  const notes = useNotesText()(facts.notes);
  return (
    <>
      {figures && <p>{figures}</p>}
      {notes && <p className="text-sm break-words whitespace-pre-line text-muted">{notes}</p>}
    </>
  );
}

function useFigures(): (facts: Omit<Facts, "notes">) => string {
  const meterText = useMeterText();
  const fuelText = useFuelText();
  return ({ reading, increase, unit = "n/a", fuelAdded, fuelKind, fullFill }) =>
    [
      increase === null ? null : meterText.difference(0, increase, unit),
      reading === null || increase !== null ? null : meterText.amount(reading, unit),
      fuelAdded > 0 ? fuelText(fuelAdded, fuelKind, fullFill) : null,
    ]
      .filter((figure) => figure !== null)
      .join(" · ");
}

/** The same in one line, in which notes are only mentioned. */
export function useFactsLine(): (facts: Facts) => string {
  const { t } = useTranslation();
  const figures = useFigures();
  return (facts) =>
    [figures(facts), facts.notes && t("operator.kept.note")].filter(Boolean).join(" · ");
}
