import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { hasEarlierMeters } from "#/domain/dial";
import { serviceStatusWord, unitWord } from "#/domain/equipment-wire";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { usePrintReport } from "#/shared/print/use-print-report";
import { useDialText } from "../meters/use-dial-text";
import { useFacts } from "./facts";
import { nextDue } from "./next-due";
import { tasksQuery } from "./queries";
import { statusText } from "../reports/status-text";
import { useSnoozeTexts } from "../table/snooze-lines";
import { useIntervalText } from "./use-interval-text";

export function useSheetPrint(equipment: Equipment): () => void {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const dial = useDialText();
  const print = usePrintReport();
  const facts = useFacts(equipment);
  const interval = useIntervalText();
  const snoozed = useSnoozeTexts();
  const today = useCompanyDay();
  const tasks = useQuery(tasksQuery(useTransport(), equipment.id)).data?.tasks ?? [];
  const unit = unitWord(equipment.unit);
  const next = nextDue(equipment, today);
  return () => {
    const due = [
      next?.due && labels.due(next.due, unit),
      next?.schedule && labels.schedule(next.schedule.days, next.schedule.date),
    ].filter(Boolean);
    print({
      title: equipment.name,
      columns: [
        { header: t("equipment-detail.print.fact") },
        { header: t("equipment-detail.print.value") },
      ],
      rows: [
        [t("equipment-detail.header.meter"), dial.reading(equipment)],
        ...(hasEarlierMeters(equipment)
          ? [[t("equipment-meters.life"), labels.amount(equipment.currentUsage, unit)]]
          : []),
        [
          t("equipment.columns.serviceStatus"),
          [statusText(t, labels, equipment), ...due, ...snoozed(equipment)].join(" · "),
        ],
        ...facts.map((fact) => [fact.label, fact.value]),
        ...tasks
          .filter((task) => !task.fromForm)
          .map((task) => [
            t("equipment-detail.print.task", { name: task.name }),
            `${interval({ ...task, unit: equipment.unit })} · ${labels.badge(serviceStatusWord(task.status))}`,
          ]),
        ...equipment.serviceParts.map((row) => [
          t("equipment-detail.print.part", { name: row.part }),
          [row.partNumber, row.quantity === undefined ? "" : `× ${row.quantity}`]
            .filter(Boolean)
            .join(" · "),
        ]),
        ...(equipment.description === ""
          ? []
          : [[t("equipment-form.fields.description"), equipment.description]]),
      ],
    });
  };
}
