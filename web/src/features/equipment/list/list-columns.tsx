import { Pencil, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { badgeWord, unitWord } from "#/domain/equipment-words";
import { severityOf } from "#/domain/severity";
import { useEquipmentLabels } from "#/domain/use-equipment-labels";
import type { Column } from "#/shared/table/column";
import { Button } from "#/shared/ui/button";
import { StatusBadge } from "#/shared/ui/status-badge";
import { useEquipmentColumns } from "../table/equipment-columns";
import type { RowAction } from "../dialogs/row-actions";
import { ListMenu } from "./list-menu";
import { NameCell } from "./name-cell";
import { NextMaintenance } from "./next-maintenance";

export function useListColumns(
  onAction: (action: RowAction, equipment: Equipment) => void,
): ReadonlyArray<Column<Equipment>> {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const { name, type, fuel, usage, actions } = useEquipmentColumns(onAction);
  return useMemo(
    () => [
      { ...name, header: t("equipment.csv.name"), cell: (row) => <NameCell equipment={row} /> },
      type,
      {
        ...usage,
        cell: (row) => (
          <>
            {labels.amount(row.currentUsage, unitWord(row.unit))}
            {row.threshold !== undefined && (
              <span className="block text-xs text-muted">
                {t("equipment.list.ofThreshold", {
                  amount: labels.amount(row.threshold, unitWord(row.unit)),
                })}
              </span>
            )}
          </>
        ),
      },
      {
        id: "urgency",
        header: t("equipment.columns.status"),
        card: "line",
        sortable: true,
        cell: (row) => {
          const badge = badgeWord(row.badge);
          // Room for the longest of them, so that the column stays as it is.
          return (
            <div className="xl:min-w-60">
              <StatusBadge severity={severityOf(badge)}>{labels.badge(badge)}</StatusBadge>
            </div>
          );
        },
      },
      { ...fuel, card: "fact" },
      {
        id: "next",
        header: t("equipment.list.next"),
        cell: (row) => <NextMaintenance equipment={row} />,
      },
      {
        ...actions,
        cell: (row) => (
          <span className="inline-flex min-w-20 justify-end gap-1">
            <Button
              variant="quiet"
              icon
              aria-label={t("equipment.list.editName", { name: row.name })}
              onClick={() => onAction("edit", row)}
            >
              <Pencil aria-hidden className="size-4" />
            </Button>
            <Button
              variant="quiet"
              icon
              aria-label={t("equipment.list.deleteName", { name: row.name })}
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
    [t, labels, name, type, fuel, usage, actions, onAction],
  );
}
