import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { serviceStatusWord } from "#/domain/equipment-wire";
import { severityOf } from "#/shared/severity";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { StatusBadge } from "#/shared/ui/status-badge";

/**
 * The form edits one task. Its rule and the other tasks, which also count for the status, are edited on
 * the Service tab.
 */
export function MoreTasks({ equipment, isRuled }: { equipment: Equipment; isRuled: boolean }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const { moreTasks, urgentTask, id } = equipment;
  if (moreTasks === 0 && !isRuled) return null;
  const status = urgentTask && serviceStatusWord(urgentTask.status);
  return (
    <div className="mt-4 space-y-2 border-t border-line pt-4 text-sm">
      {isRuled && <p className="text-muted">{t("equipment-form.tasks.ruled")}</p>}
      {moreTasks > 0 && (
        <p className="text-muted">{t("equipment-form.tasks.count", { count: moreTasks })}</p>
      )}
      {urgentTask && status && status !== "good" && (
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {t("equipment-form.tasks.urgent", { name: urgentTask.name })}
          <StatusBadge severity={severityOf(status)}>{labels.badge(status)}</StatusBadge>
        </p>
      )}
      <Link
        to="/equipment/item/$id"
        params={{ id }}
        search={{ tab: "service" }}
        className="inline-block font-semibold text-accent underline-offset-2 hover:underline"
      >
        {t("equipment-form.tasks.open")}
      </Link>
    </div>
  );
}
