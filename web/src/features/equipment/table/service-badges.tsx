import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { operationalWord } from "#/domain/equipment-wire";
import type { ShownStatus } from "#/domain/shown-status";
import { severityOf } from "#/shared/severity";
import { Badge } from "#/shared/ui/badge";
import { StaleBadge } from "#/shared/ui/stale-badge";
import { StatusBadge } from "#/shared/ui/status-badge";
import { operationalLabel } from "#/shared/words/operational-label";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";

/** The service status, whether the meter was read in time, and why equipment is not in use. */
export function ServiceBadges({
  equipment,
  status,
  operational: shownUse,
}: {
  equipment: Pick<Equipment, "stale" | "operationalStatus">;
  status: ShownStatus;
  /** Instead of the badge of equipment that is not in use. */
  operational?: ReactNode;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const { stale } = equipment;
  const operational = operationalWord(equipment.operationalStatus);
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      {/* Without a recent reading it may be good no longer. */}
      {!(stale && status === "good") && (
        <StatusBadge severity={severityOf(status)}>{labels.badge(status)}</StatusBadge>
      )}
      {stale && <StaleBadge>{t("equipment.age.stale")}</StaleBadge>}
      {shownUse ?? (operational !== "in_use" && <Badge>{operationalLabel(t, operational)}</Badge>)}
    </span>
  );
}
