import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { operationalWord } from "#/domain/equipment-wire";
import type { Shown } from "#/domain/shown-status";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import { severityOf } from "#/shared/severity";
import { CellDetail } from "#/shared/table/cell-detail";
import { Badge } from "#/shared/ui/badge";
import { StaleBadge } from "#/shared/ui/stale-badge";
import { StatusBadge } from "#/shared/ui/status-badge";
import { operationalLabel } from "#/shared/words/operational-label";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useEarlyText } from "./status-with-reason";

const ServiceNotes = lazyWithTexts(["office"], () =>
  import("./snooze-lines").then((module) => module.ServiceNotes),
);

/** One badge: what needs attention first. The rest is below it. */
export function StatusCell({ equipment, shown }: { equipment: Equipment; shown: Shown }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const early = useEarlyText()(shown.early);
  const { stale, missedRounds, snoozedTasks } = equipment;
  const { status } = shown;
  const severity = severityOf(status);
  const attention = severity !== "good" && severity !== "none";
  const operational = operationalWord(equipment.operationalStatus);
  const label = labels.badge(status);
  const standing = operational === "in_use" ? null : operationalLabel(t, operational);
  const unread = stale ? t("equipment.age.stale") : null;
  const first = (attention ? null : (standing ?? unread)) ?? label;
  const rest = [status === "good" ? null : label, standing, unread, early].filter(
    (text) => text && text !== first,
  );
  return (
    <>
      {first === label ? (
        <StatusBadge severity={severity}>{label}</StatusBadge>
      ) : first === standing ? (
        <Badge>{standing}</Badge>
      ) : (
        <StaleBadge>{unread}</StaleBadge>
      )}
      {rest.length > 0 && <CellDetail>{rest.join(" · ")}</CellDetail>}
      {(missedRounds > 0 || snoozedTasks[0]) && (
        <Suspense>
          <ServiceNotes equipment={equipment} />
        </Suspense>
      )}
    </>
  );
}
