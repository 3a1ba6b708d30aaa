import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { Shown } from "#/domain/shown-status";
import { ServiceBadges } from "./service-badges";

/** The badge, and below it why it is ahead of the service status. */
export function StatusWithReason({
  equipment,
  shown: { status, early },
}: {
  equipment: Pick<Equipment, "stale" | "operationalStatus">;
  shown: Shown;
}) {
  const { t } = useTranslation();
  return (
    <>
      <ServiceBadges equipment={equipment} status={status} />
      {early?.kind === "usage" && (
        <span className="mt-0.5 block text-xs text-muted">
          {t("equipment-list.early.usage", { percent: early.percent, from: early.from })}
        </span>
      )}
      {early?.kind === "schedule" && (
        <span className="mt-0.5 block text-xs text-muted">
          {t("equipment-list.early.schedule", { count: early.days, within: early.within })}
        </span>
      )}
    </>
  );
}
