import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { Column } from "#/shared/table/column";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import type { RowAction } from "../dialogs/row-action";
import { RowActions } from "../dialogs/row-actions";
import { DueCell } from "./due-cell";
import { NameLink } from "./name-link";
import { StatusCell } from "./status-cell";
import { statusOf, useEarlierWarnings } from "./shown-status";
import { columnsOf, useListPrefs } from "./list-prefs";
import { UsageCell } from "./usage-cell";

/** The equipment list, and the dashboard and the pages by status. */
export type Screen = "list" | "overview";

/**
 * The columns of equipment tables: one line a machine, and the optional columns that were chosen.
 * Their ids are the server's sort keys.
 */
export function useEquipmentColumns({
  screen,
  onAction,
  chosen,
}: {
  screen: Screen;
  onAction: (action: RowAction, equipment: Equipment) => void;
  /** The optional columns in the address; the person's own if undefined. */
  chosen: string | undefined;
}): ReadonlyArray<Column<Equipment>> {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const own = useListPrefs().columns;
  const fixed = useFixedColumns(screen, onAction);
  const words = chosen ?? own;
  const { data: optional } = useQuery({
    queryKey: ["optional-columns"],
    queryFn: async () => (await import("./optional-columns")).optionalColumns,
    enabled: words !== "",
    staleTime: Infinity,
  });
  return useMemo(() => {
    const more = optional?.({ t, labels, format });
    const shown = columnsOf(words)
      // There the status column is the service status.
      .filter((column) => screen !== "list" || column !== "status")
      .flatMap((column) => more?.[column] ?? []);
    return [...fixed, ...shown].toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  }, [fixed, optional, words, screen, t, labels, format]);
}

const order = [
  "name",
  "type",
  "fuel",
  "usage",
  "threshold",
  "interval",
  "status",
  "due",
  "urgency",
  "parts",
  "updated",
  "actions",
];

function useFixedColumns(
  screen: Screen,
  onAction: (action: RowAction, equipment: Equipment) => void,
): ReadonlyArray<Column<Equipment>> {
  const { t } = useTranslation();
  const today = useCompanyDay();
  const earlierWarnings = useEarlierWarnings();
  return useMemo(() => {
    const isList = screen === "list";
    return [
      {
        id: "name",
        header: isList ? t("equipment.columns.name") : t("equipment.columns.equipment"),
        card: "title",
        sortable: true,
        cell: (row) => (
          <div className="md:min-w-44">
            <NameLink equipment={row} />
            {isList ? (
              <SerialAndGroup equipment={row} />
            ) : (
              <span className={`${nameDetail} font-mono`}>{row.id.slice(0, 8)}</span>
            )}
          </div>
        ),
      },
      {
        id: "usage",
        header: t("equipment.columns.currentUsage"),
        align: "end",
        card: "line",
        sortable: true,
        cell: (row) => <UsageCell equipment={row} ofThreshold={isList} />,
      },
      {
        id: "due",
        header: isList ? t("equipment.columns.nextMaintenance") : t("equipment.columns.next"),
        card: "line",
        sortable: true,
        cell: (row) => <DueCell equipment={row} today={today} />,
      },
      {
        id: "urgency",
        header: isList ? t("equipment.columns.status") : t("equipment.columns.serviceStatus"),
        card: "badge",
        sortable: true,
        cell: (row) => (
          <StatusCell equipment={row} shown={statusOf(row, isList && earlierWarnings)} />
        ),
      },
      {
        id: "actions",
        header: t("equipment.columns.actions"),
        card: "actions",
        align: "end",
        cell: (row) => (
          <RowActions
            equipment={row}
            isList={isList}
            onAction={(action) => onAction(action, row)}
          />
        ),
      },
    ];
  }, [t, today, earlierWarnings, screen, onAction]);
}

const nameDetail = "block text-xs text-muted in-data-compact:hidden";

function SerialAndGroup({ equipment: { serialNumber, group } }: { equipment: Equipment }) {
  if (!serialNumber && !group) return null;
  return (
    <span className={nameDetail}>
      {serialNumber && <span className="font-mono break-all">{serialNumber}</span>}
      {serialNumber && group && " · "}
      {group}
    </span>
  );
}
