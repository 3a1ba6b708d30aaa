import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { operationalWord } from "#/domain/equipment-wire";
import { usePrintReport } from "#/shared/print/use-print-report";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { operationalLabel } from "#/shared/words/operational-label";
import { useDialText } from "../meters/use-dial-text";
import { useReadingAge } from "../table/reading-age";
import { statusText } from "../reports/status-text";
import { useSnoozeTexts } from "../table/snooze-lines";
import type { Group } from "./outlook-list";
import { useOutlookText } from "./use-outlook-text";

/** Prints the groups as one table; `header` is what they are groups of. */
export function useOutlookPrint(
  today: string,
): (header: string, groups: readonly Group[], note: string | undefined) => void {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const dial = useDialText();
  const age = useReadingAge();
  const text = useOutlookText(today);
  const snoozed = useSnoozeTexts();
  const print = usePrintReport();
  const operational = (row: Equipment) => {
    const word = operationalWord(row.operationalStatus);
    return word === "in_use" ? "" : operationalLabel(t, word);
  };
  return (header, groups, note) =>
    print({
      title: t("shell.titles.service"),
      ...(note && { note }),
      columns: [
        { header },
        { header: t("equipment-form.fields.unitNumber") },
        { header: t("equipment.columns.name") },
        { header: t("equipment.columns.currentUsage"), align: "end" },
        { header: t("service.task") },
        { header: t("equipment-list.due") },
        { header: t("equipment.columns.serviceStatus") },
      ],
      rows: groups.flatMap(({ title, entries }) =>
        entries.map(({ row }) => {
          const due = text.due(row);
          return [
            title,
            row.unitNumber ?? "",
            row.name,
            row.meterAgeDays === undefined ? "" : `${dial.reading(row)} · ${age(row)}`,
            text.task(row),
            [due.text, due.forecast].filter(Boolean).join(" · "),
            [statusText(t, labels, row), operational(row), ...snoozed(row)]
              .filter(Boolean)
              .join(" · "),
          ];
        }),
      ),
    });
}
