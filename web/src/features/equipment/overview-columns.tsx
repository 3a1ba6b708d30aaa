import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  equipmentFuelWord,
  overallStatusWord,
  serviceStatusWord,
  typeWord,
  unitWord,
} from "#/domain/equipment-words";
import { serviceStatuses } from "#/domain/service-rules";
import { severityOf } from "#/domain/severity";
import { useEquipmentLabels } from "#/domain/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import type { Column } from "#/shared/table/column";
import { StatusIcon } from "#/shared/ui/status-badge";
import { RowActions, type RowAction } from "./row-actions";
import { ServiceCell } from "./service-cell";

export function useOverviewColumns(
  onAction: (action: RowAction, equipment: Equipment) => void,
): ReadonlyArray<Column<Equipment>> {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "name",
        header: t("equipment.columns.equipment"),
        card: "title",
        sortValue: (row) => row.name,
        cell: (row) => (
          <>
            <span className="font-semibold">{row.name}</span>
            <span className="block font-mono text-xs text-muted">{row.id.slice(0, 8)}</span>
          </>
        ),
      },
      {
        id: "type",
        header: t("equipment.columns.type"),
        cell: (row) => labels.type(typeWord(row.type)),
      },
      {
        id: "fuel",
        header: t("equipment.columns.fuelType"),
        card: "none",
        cell: (row) => labels.fuel(equipmentFuelWord(row.fuel)),
      },
      {
        id: "usage",
        header: t("equipment.columns.currentUsage"),
        align: "end",
        sortValue: (row) => row.currentUsage,
        cell: (row) => (
          <span className="whitespace-nowrap">
            {labels.amount(row.currentUsage, unitWord(row.unit))}
          </span>
        ),
      },
      {
        id: "threshold",
        header: t("equipment.columns.threshold"),
        align: "end",
        card: "none",
        cell: (row) =>
          row.threshold === undefined ? (
            <span className="whitespace-nowrap text-muted">
              {t("equipment.columns.noThreshold")}
            </span>
          ) : (
            <span className="whitespace-nowrap">
              {labels.amount(row.threshold, unitWord(row.unit))}
            </span>
          ),
      },
      {
        id: "status",
        header: t("equipment.columns.status"),
        cell: (row) => <StatusCell equipment={row} />,
      },
      {
        id: "service",
        header: t("equipment.columns.serviceStatus"),
        card: "line",
        sortValue: (row) => serviceStatuses.indexOf(serviceStatusWord(row.serviceStatus)),
        cell: (row) => <ServiceCell equipment={row} />,
      },
      {
        id: "updated",
        header: t("equipment.columns.lastUpdated"),
        sortValue: (row) => Number(row.lastUpdated?.seconds ?? 0),
        cell: (row) =>
          row.lastUpdated && (
            <span className="whitespace-nowrap">
              {format.instantDay(timestampDate(row.lastUpdated))}
            </span>
          ),
      },
      {
        id: "actions",
        header: t("equipment.columns.actions"),
        card: "actions",
        align: "end",
        cell: (row) => <RowActions equipment={row} onAction={(action) => onAction(action, row)} />,
      },
    ],
    [t, labels, format, onAction],
  );
}

function StatusCell({ equipment }: { equipment: Equipment }) {
  const labels = useEquipmentLabels();
  const overall = overallStatusWord(equipment.overallStatus);
  return (
    <>
      <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
        <StatusIcon severity={severityOf(overall)} />
        {labels.overall(overall)}
      </span>
      {equipment.lifespanPercent !== undefined && (
        <span
          className={`block text-xs whitespace-nowrap ${equipment.lifespanAlert ? "font-semibold" : "text-muted"}`}
        >
          {labels.lifespan(equipment.lifespanPercent)}
        </span>
      )}
    </>
  );
}
