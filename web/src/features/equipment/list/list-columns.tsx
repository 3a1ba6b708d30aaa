import { Pencil, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { hasEarlierMeters } from "#/domain/dial";
import { unitWord } from "#/domain/equipment-wire";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import type { Column } from "#/shared/table/column";
import { useCompanyDay } from "#/shared/use-company-day";
import { Button } from "#/shared/ui/button";
import { useEquipmentColumns } from "../table/equipment-columns";
import { ReadingAge } from "../table/reading-age";
import { statusOf, useEarlierWarnings } from "../table/shown-status";
import { ServiceNotes } from "../table/snooze-lines";
import { StatusWithReason } from "../table/status-with-reason";
import type { RowAction } from "../dialogs/row-actions";
import { ListMenu } from "./list-menu";
import { useDialText } from "../meters/use-dial-text";
import { NameCell } from "./name-cell";
import { NextMaintenance } from "./next-maintenance";

export function useListColumns(
  onAction: (action: RowAction, equipment: Equipment) => void,
): ReadonlyArray<Column<Equipment>> {
  const { t } = useTranslation();
  const dial = useDialText();
  const earlierWarnings = useEarlierWarnings();
  const today = useCompanyDay();
  const { name, type, fuel, usage, actions } = useEquipmentColumns(onAction);
  return useMemo(
    () => [
      {
        ...name,
        header: t("equipment-list.csv.name"),
        cell: (row) => <NameCell equipment={row} />,
      },
      type,
      {
        ...usage,
        cell: (row) => (
          <>
            {dial.reading(row)}
            <ReadingAge equipment={row} />
            <Lifespan equipment={row} />
          </>
        ),
      },
      {
        id: "urgency",
        header: t("equipment.columns.status"),
        card: "line",
        sortable: true,
        cell: (row) => {
          // Wide enough for the longest label, so that the column width is stable.
          return (
            <div className="xl:min-w-60">
              <StatusWithReason equipment={row} shown={statusOf(row, earlierWarnings)} />
              <ServiceNotes equipment={row} />
            </div>
          );
        },
      },
      { ...fuel, card: "fact" },
      {
        id: "due",
        header: t("equipment-list.next"),
        sortable: true,
        cell: (row) => <NextMaintenance equipment={row} today={today} />,
      },
      {
        ...actions,
        cell: (row) => (
          <span className="inline-flex min-w-20 justify-end gap-1">
            <Button
              variant="quiet"
              icon
              aria-label={t("equipment-list.editName", { name: row.name })}
              onClick={() => onAction("edit", row)}
            >
              <Pencil aria-hidden className="size-4" />
            </Button>
            <Button
              variant="quiet"
              icon
              aria-label={t("equipment-list.deleteName", { name: row.name })}
              onClick={() => onAction("delete", row)}
            >
              <Trash2 aria-hidden className="size-4" />
            </Button>
          </span>
        ),
        cardCell: (row) => (
          <ListMenu equipment={row} onAction={(action) => onAction(action, row)} />
        ),
      },
    ],
    [t, dial, earlierWarnings, today, name, type, fuel, usage, actions, onAction],
  );
}

/** "of 6,000 hours"; after a meter replacement, of life-to-date usage. */
function Lifespan({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const { threshold, currentUsage } = equipment;
  const whole =
    threshold === undefined
      ? ""
      : t("equipment-list.ofThreshold", {
          amount: labels.amount(threshold, unitWord(equipment.unit)),
        });
  const life = hasEarlierMeters(equipment)
    ? t("labels.lifeShort", { amount: format.number(currentUsage) })
    : "";
  if (life === "" && whole === "") return null;
  return (
    <span className="block text-xs text-muted">{[life, whole].filter(Boolean).join(" ")}</span>
  );
}
