import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { hasEarlierMeters } from "#/domain/dial";
import { unitWord } from "#/domain/equipment-wire";
import { useFormat } from "#/shared/format/use-format";
import { CellDetail } from "#/shared/table/cell-detail";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useDialText } from "../meters/use-dial-text";
import { useReadingAge } from "./reading-age";

/** The meter with the age of its reading; after a replacement also life-to-date usage. */
export function UsageCell({
  equipment,
  ofThreshold,
}: {
  equipment: Equipment;
  /** "of 6,000 hours" */
  ofThreshold: boolean;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const dial = useDialText();
  const age = useReadingAge()(equipment);
  const { currentUsage, stale, threshold } = equipment;
  const life = hasEarlierMeters(equipment)
    ? t("labels.lifeShort", { amount: format.number(currentUsage) })
    : "";
  const whole =
    ofThreshold && threshold !== undefined
      ? t("equipment.columns.ofThreshold", {
          amount: labels.amount(threshold, unitWord(equipment.unit)),
        })
      : "";
  const detail = [age, life].filter(Boolean).join(" · ");
  return (
    <div className="md:in-data-compact:whitespace-nowrap">
      <span className="whitespace-nowrap">{dial.reading(equipment)}</span>
      {(detail !== "" || whole !== "") && (
        <CellDetail className={stale ? "font-semibold text-ink" : ""}>
          {detail}
          {whole !== "" && (
            <span className="in-data-compact:hidden">
              {detail && (life ? " " : " · ")}
              {whole}
            </span>
          )}
        </CellDetail>
      )}
    </div>
  );
}
