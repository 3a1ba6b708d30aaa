import type { StatusFilter } from "#/domain/equipment-filter";
import { key, type TextKey } from "#/i18n/key";

export type StatusPath = StatusFilter | "all";

export const statusPaths: readonly StatusPath[] = ["all", "good", "approaching", "due", "overdue"];

export function statusTitle(status: StatusPath): TextKey {
  switch (status) {
    case "all":
      return key("equipment.byStatus.all");
    case "good":
      return key("equipment.byStatus.good");
    case "approaching":
      return key("equipment.byStatus.approaching");
    case "due":
      return key("equipment.byStatus.due");
    case "overdue":
      return key("equipment.byStatus.overdue");
  }
}
