import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { callKey } from "#/api/call-key";
import { EquipmentService, HistoryKind } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { wholeList } from "#/api/whole-list";

const { listHistory } = EquipmentService.method;

/** What is deleted with a machine, with figures once they are loaded. */
export function useDeletedText(equipmentId: string, wanted: boolean): string {
  const { t, i18n } = useTranslation();
  const transport = useTransport();
  const { data: records } = useQuery({
    queryKey: callKey(listHistory, { deletedWith: equipmentId }),
    enabled: wanted,
    queryFn: async ({ signal }) => {
      const whole = await wholeList(
        (page) => callUnaryMethod(transport, listHistory, { equipmentId, page }, { signal }),
        (all, next) => all.records.push(...next.records),
      );
      return whole.records;
    },
  });
  const count = (kind: HistoryKind) =>
    records?.filter((record) => record.kind === kind).length ?? 0;
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
