import type { StatusFilter } from "#/domain/equipment-filter";
import { key, type TextKey } from "#/i18n/key";

export type StatusPath = StatusFilter | "all";

export const statusPaths: readonly StatusPath[] = ["all", "good", "approaching", "due", "overdue"];

export function statusTitle(status: StatusPath): TextKey {
  switch (status) {
    case "all":
      return key("equipment-list.byStatus.all");
    case "good":
      return key("equipment-list.byStatus.good");
    case "approaching":
      return key("equipment-list.byStatus.approaching");
    case "due":
      return key("equipment-list.byStatus.due");
    case "overdue":
      return key("equipment-list.byStatus.overdue");
  }
}
