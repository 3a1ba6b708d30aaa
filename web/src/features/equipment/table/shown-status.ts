import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { companySettingsQuery } from "#/api/company-settings";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { badgeWord, serviceStatusWord } from "#/domain/equipment-wire";
import { shownStatus, type Shown } from "#/domain/shown-status";

type Row = Pick<
  Equipment,
  | "serviceStatus"
  | "badge"
  | "usagePercent"
  | "daysUntilMaintenance"
  | "serviceInterval"
  | "hasScheduledMaintenance"
  | "moreTasks"
> &
  Partial<Pick<Equipment, "snoozedTasks">>;

export function statusOf(row: Row, earlierWarnings = false): Shown {
  const figures = {
    serviceStatus: serviceStatusWord(row.serviceStatus),
    badge: badgeWord(row.badge),
    usagePercent: row.usagePercent ?? null,
    daysUntilMaintenance: row.daysUntilMaintenance ?? null,
    hasPlan: row.serviceInterval > 0 || row.hasScheduledMaintenance || row.moreTasks > 0,
  };
  const shown = shownStatus(figures, earlierWarnings);
  // Good only because tasks do not count.
  return shown.status === "good" && row.snoozedTasks?.[0]
    ? { status: "snoozed", early: null }
    : shown;
}

/** The company's setting *Earlier warnings on lists and forms*. */
export function useEarlierWarnings(): boolean {
  const { data } = useQuery(companySettingsQuery(useTransport()));
  return data?.settings?.earlierWarnings ?? false;
}
