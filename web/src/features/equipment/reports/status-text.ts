import type { TFunction } from "i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { EquipmentLabels } from "#/shared/words/use-equipment-labels";
import { statusOf } from "../table/shown-status";

/** "Good · No recent reading" */
export function statusText(
  t: TFunction,
  labels: EquipmentLabels,
  row: Equipment,
  earlierWarnings = false,
): string {
  const status = labels.badge(statusOf(row, earlierWarnings).status);
  return row.stale ? `${status} · ${t("equipment.age.stale")}` : status;
}
