import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { serviceStatusWord, unitWord } from "#/domain/equipment-words";
import { serviceDue } from "#/domain/service-due";
import { severityOf } from "#/domain/severity";
import { useEquipmentLabels } from "#/domain/use-equipment-labels";
import { StatusBadge } from "#/shared/ui/status-badge";
import { UsageBar } from "#/shared/ui/usage-bar";

/** The badge (reading A), and below it in words and as a bar what is left until service. */
export function ServiceCell({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const status = serviceStatusWord(equipment.serviceStatus);
  const due = serviceDue(equipment);
  const days = equipment.daysUntilMaintenance;
  return (
    <div className="flex flex-col items-start gap-1 lg:min-w-63">
      <StatusBadge severity={severityOf(status)}>{labels.badge(status)}</StatusBadge>
      {due && (
        <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm">
          {labels.due(due, unitWord(equipment.unit))}
          <UsageBar percent={due.percent} severity={severityOf(due.status)} />
        </span>
      )}
      {days !== undefined && (
        <span className="text-sm">{labels.schedule(days, equipment.nextMaintenanceDate)}</span>
      )}
      {!due && days === undefined && (
        <span className="text-sm text-muted">{t("equipment.due.noSchedule")}</span>
      )}
    </div>
  );
}
