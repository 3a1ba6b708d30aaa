import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { Notice } from "#/shared/ui/notice";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";

/** What the meter showed before someone else read it, and what it shows now. */
export function MovedNotice({ moved, seen }: { moved: number | null; seen: Equipment }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  if (moved === null) return null;
  const unit = unitWord(seen.unit);
  return (
    <div role="alert">
      <Notice>
        {t("equipment-meters.replace.moved", {
          before: labels.amount(moved, unit),
          now: labels.amount(seen.meterReading, unit),
        })}
      </Notice>
    </div>
  );
}
