import { useTranslation } from "react-i18next";
import type { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { FuelKindWord } from "#/domain/equipment-words";
import { useUpdateText } from "#/domain/update-text";

/** Reading and fuel side by side, notes under them; only what was reported. */
export function UpdateFacts({
  reading,
  unit,
  fuelAdded,
  fuelKind,
  notes,
}: {
  reading: number | null;
  unit: MeterUnit | undefined;
  fuelAdded: number;
  fuelKind: FuelKindWord;
  notes: string;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  return (
    <dl className="mt-2 flex flex-wrap gap-x-6 gap-y-2 text-sm">
      {reading !== null && (
        <div>
          <dt className="text-xs text-muted">{t("operator.list.reading")}</dt>
          <dd className="font-semibold">{text.reading(reading, unit)}</dd>
        </div>
      )}
      {fuelAdded > 0 && (
        <div>
          <dt className="text-xs text-muted">{t("operator.list.fuel")}</dt>
          <dd className="font-semibold">{text.fuel(fuelAdded, fuelKind)}</dd>
        </div>
      )}
      {notes && (
        <div className="basis-full">
          <dt className="text-xs text-muted">{t("operator.list.notes")}</dt>
          <dd className="whitespace-pre-line">{notes}</dd>
        </div>
      )}
    </dl>
  );
}
