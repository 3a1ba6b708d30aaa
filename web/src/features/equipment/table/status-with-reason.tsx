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
  const text = useEarlyText()(early);
  return (
    <>
      <ServiceBadges equipment={equipment} status={status} />
      {text && <span className="mt-0.5 block text-xs text-muted">{text}</span>}
    </>
  );
}

/** Why a status is ahead of the service status; null: it is not. */
export function useEarlyText(): (early: Shown["early"]) => string | null {
  const { t } = useTranslation();
  return (early) => {
    switch (early?.kind) {
      case "usage":
        return t("equipment.early.usage", { percent: early.percent, from: early.from });
      case "schedule":
        return t("equipment.early.schedule", { count: early.days, within: early.within });
      case undefined:
        return null;
    }
  };
}
