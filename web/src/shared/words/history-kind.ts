import type { TFunction } from "i18next";
import {
  HistoryKind,
  MeterChange,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

/** The label of a ledger entry's kind. */
export function historyKindLabel(
  t: TFunction,
  { kind, meterReplacement }: Pick<HistoryRecord, "kind" | "meterReplacement">,
): string {
  switch (kind) {
    case HistoryKind.METER:
      return meterReplacement?.change === MeterChange.ROLLED_OVER
        ? t("equipment-meters.kinds.rolledOver")
        : t("equipment-meters.kinds.replaced");
    case HistoryKind.USAGE:
      return t("equipment-detail.kinds.usage");
    case HistoryKind.SERVICE:
      return t("equipment-detail.kinds.service");
    case HistoryKind.EDIT:
      return t("equipment-detail.kinds.edit");
    case HistoryKind.RETIREMENT:
      return t("equipment-detail.kinds.retirement");
    case HistoryKind.RESTORATION:
      return t("equipment-detail.kinds.restoration");
    case HistoryKind.NOTE:
    default:
      return t("equipment-detail.kinds.note");
  }
}
