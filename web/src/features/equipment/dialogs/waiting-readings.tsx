import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { Notice } from "#/shared/ui/notice";
import { useUpdateText } from "#/shared/words/update-text";
import { useWaitingUpdates } from "./use-open-matters";

const maxListed = 5;

/** Warns that a service is recorded at a meter without the readings that wait for review. */
export function WaitingReadings({
  machines,
  onLeave,
}: {
  machines: readonly Equipment[];
  /** Called when the link to the review is followed. */
  onLeave: () => void;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const waiting = useWaitingUpdates(machines.map(({ id }) => id)).filter(
    ({ newUsage, usageIncrease }) => newUsage !== undefined || usageIncrease !== undefined,
  );
  if (waiting.length === 0) return null;
  const readings = waiting.map(({ equipmentName, newUsage, usageIncrease = 0, unit }) => {
    const reading =
      newUsage === undefined
        ? text.difference(0, usageIncrease, unit)
        : text.reading(newUsage, unit);
    return machines.length > 1 ? `${equipmentName} (${reading})` : reading;
  });
  return (
    <Notice>
      {t("equipment-dialogs.serviced.waiting", {
        count: waiting.length,
        readings:
          readings.slice(0, maxListed).join(", ") + (readings.length > maxListed ? ", …" : ""),
      })}{" "}
      <Link
        to="/review"
        onClick={onLeave}
        className="font-semibold text-accent underline underline-offset-3"
      >
        {t("equipment-detail.open.review")}
      </Link>
    </Notice>
  );
}
