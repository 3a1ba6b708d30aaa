import { useTransport } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { withTexts } from "#/i18n/lazy-with-texts";
import { toast } from "#/shared/toast/store";
import { useCompanyZone } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import type { PageOrder } from "../table/equipment-pages";
import { useEarlierWarnings } from "../table/shown-status";

const loadCsv = withTexts(["office"], () => import("./equipment-csv"));

type CsvFile = Parameters<Awaited<ReturnType<typeof loadCsv>>["saveEquipmentCsv"]>[1]["file"];

/** Saves the given machines as a CSV file, or all matching ones, including rows that are not loaded. */
export function useEquipmentExport({
  file,
  status,
  filter,
  order,
}: {
  file: CsvFile;
  /** Part of the name of a file of one status. */
  status?: string;
  filter: EquipmentFilter;
  order: PageOrder;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const labels = useEquipmentLabels();
  const transport = useTransport();
  const earlierWarnings = useEarlierWarnings();
  const zone = useCompanyZone();
  return useMutation({
    mutationFn: async (rows: readonly Equipment[] | void) => {
      const { saveEquipmentCsv } = await loadCsv();
      const request = { transport, filter, order, rows };
      const words = { t, labels, earlierWarnings, zone };
      return saveEquipmentCsv(request, { file, status, ...words });
    },
    onSuccess: (name) =>
      toast.success(t("equipment.export.done"), t("equipment.export.doneText", { filename: name })),
    onError: (error) => toast.failure(t("equipment.export.failed"), errorText(error)),
  });
}
