import { useTranslation } from "react-i18next";
import type { Shown } from "#/domain/shown-status";
import { severityOf } from "#/shared/severity";
import { StatusBadge } from "#/shared/ui/status-badge";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";

/** The badge, and below it why it is ahead of the service status. */
export function StatusWithReason({ shown: { status, early } }: { shown: Shown }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  return (
    <>
      <StatusBadge severity={severityOf(status)}>{labels.badge(status)}</StatusBadge>
      {early?.kind === "usage" && (
        <span className="mt-0.5 block text-xs text-muted">
          {t("equipment.early.usage", { percent: early.percent, from: early.from })}
        </span>
      )}
      {early?.kind === "schedule" && (
        <span className="mt-0.5 block text-xs text-muted">
          {t("equipment.early.schedule", { count: early.days, within: early.within })}
        </span>
      )}
    </>
  );
}
