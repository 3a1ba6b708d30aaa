import { useQuery } from "@connectrpc/connect-query";
import { useTranslation } from "react-i18next";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { meterDifference } from "#/shared/words/meter-text";
import { useUpdateText } from "#/shared/words/update-text";
import { loweredTasks } from "./lowered-tasks";
import { meterAbove, meterAfter } from "./lowering";
import { useMeterBefore } from "./use-meter-before";

interface Props {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  reading: number;
}

/** Asks before a reading sets the meter back, with the figures. */
export function LowerDialog({
  onConfirm,
  onClose,
  ...lowering
}: Props & { onConfirm: () => void; onClose: () => void }) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const before = useMeterBefore(lowering.update, lowering.equipment);
  const sentences = useConsequences(lowering, before);
  const meter = meterAfter(lowering.reading, before, lowering.equipment);
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t("review.lower.title", {
        reading: text.reading(meter, lowering.equipment?.unit),
      })}
      description={sentences.join(" ")}
      confirmLabel={t("review.lower.submit")}
      onConfirm={onConfirm}
    />
  );
}

/** What becomes of the meter and of the services, as far as it is known. */
function useConsequences(
  { update, equipment, reading }: Props,
  before: number | undefined,
): string[] {
  const { t } = useTranslation();
  const text = useUpdateText();
  const { data } = useQuery(
    EquipmentService.method.listServiceTasks,
    { equipmentId: update.equipmentId },
    { enabled: equipment !== undefined },
  );
  const meter = meterAbove(update, equipment, reading);
  const unit = equipment?.unit;
  const to = {
    name: equipment?.name ?? update.equipmentName,
    reading: text.reading(reading, unit),
  };
  const anyService = t("review.lower.anyService", to);
  if (meter === null) return [t("review.lower.textUnknown", to), anyService];
  const shown = {
    ...to,
    meter: text.reading(meter, unit),
    amount: text.amount(meterDifference(reading, meter), unit),
  };
  if (before !== meter) {
    // Until the history is loaded.
    const added = before === undefined ? "…" : text.amount(meterDifference(before, meter), unit);
    return [t("review.lower.textAdded", { ...shown, added }), anyService];
  }
  if (!equipment || !data) return [t("review.lower.textMeter", shown), anyService];
  const { lowered, others } = loweredTasks(equipment, data.tasks, reading);
  const [first] = lowered;
  if (!first) return [t(others > 0 ? "review.lower.text" : "review.lower.textMeter", shown)];
  return [
    t("review.lower.textMeter", shown),
    t("review.lower.service", {
      ...to,
      task: first.task.fromForm ? t("equipment-detail.tasks.regular") : first.task.name,
      last: text.reading(first.last, unit),
      due: text.reading(first.due, unit),
    }),
    ...(lowered.length > 1 ? [t("review.lower.more", { ...to, count: lowered.length - 1 })] : []),
    ...(others > 0 ? [t("review.lower.others", shown)] : []),
  ];
}
