import { useQuery } from "@connectrpc/connect-query";
import { useTranslation } from "react-i18next";
import { EquipmentService, HistoryKind } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

const { listHistory } = EquipmentService.method;

/** What is deleted with a machine, with figures if one page of its history has them all. */
export function useDeletedText(equipmentId: string, wanted: boolean): string {
  const { t, i18n } = useTranslation();
  const { data } = useQuery(listHistory, { equipmentId }, { enabled: wanted });
  const records = data && !data.page?.nextCursor ? data.records : [];
  const count = (kind: HistoryKind) =>
    records.filter((record) => record.kind === kind && !record.voiding).length;
  const updates = count(HistoryKind.USAGE);
  const services = count(HistoryKind.SERVICE);
  const notes = count(HistoryKind.NOTE);
  if (updates + services + notes === 0) return t("equipment-dialogs.delete.sureText");
  const figures = [
    updates > 0 && t("equipment-dialogs.delete.updates", { count: updates }),
    services > 0 && t("equipment-dialogs.delete.services", { count: services }),
    notes > 0 && t("equipment-dialogs.delete.notes", { count: notes }),
  ].filter((figure) => figure !== false);
  return t("equipment-dialogs.delete.sureFigures", {
    figures: new Intl.ListFormat(i18n.language).format(figures),
  });
}
