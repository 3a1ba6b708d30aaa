import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { meterDifference } from "#/shared/words/meter-text";
import { useUpdateText } from "#/shared/words/update-text";
import { meterAbove } from "./lowering";

/** Asks before a reading sets the meter back, with the figures. */
export function LowerDialog({
  update,
  equipment,
  reading,
  onConfirm,
  onClose,
}: {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  reading: number;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const unit = equipment?.unit;
  const name = equipment?.name ?? update.equipmentName;
  const to = text.reading(reading, unit);
  const meter = meterAbove(update, equipment, reading);
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t("review.lower.title", { reading: to })}
      description={
        meter === null
          ? t("review.lower.textUnknown", { name, reading: to })
          : t("review.lower.text", {
              name,
              meter: text.reading(meter, unit),
              amount: text.amount(meterDifference(reading, meter), unit),
            })
      }
      confirmLabel={t("review.lower.submit")}
      onConfirm={onConfirm}
    />
  );
}
