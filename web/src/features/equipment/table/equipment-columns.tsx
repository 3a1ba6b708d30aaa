import { timestampDate } from "@bufbuild/protobuf/wkt";
import { TriangleAlert } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { hasEarlierMeters } from "#/domain/dial";
import { equipmentFuelWord, overallStatusWord, typeWord, unitWord } from "#/domain/equipment-wire";
import { severityIn } from "#/shared/severity";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import type { Column } from "#/shared/table/column";
import { StatusIcon } from "#/shared/ui/status-badge";
import { useDialText } from "../meters/use-dial-text";
import { NameLink } from "./name-link";
import { ReadingAge } from "./reading-age";
import { RowActions, type RowAction } from "../dialogs/row-actions";
import { ServiceCell } from "../overview/service-cell";

/** The columns available to equipment tables. Their ids are the server's sort keys. */
export function useEquipmentColumns(onAction: (action: RowAction, equipment: Equipment) => void) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const dial = useDialText();
  const today = useCompanyDay();
  return useMemo(() => {
    const column = (given: Column<Equipment>) => given;
    return {
      name: column({
        id: "name",
        header: t("equipment.columns.equipment"),
        card: "title",
        sortable: true,
        cell: (row) => (
          <div className="xl:min-w-36">
            <NameLink equipment={row} />
            <span className="block font-mono text-xs text-muted">{row.id.slice(0, 8)}</span>
          </div>
        ),
      }),
      type: column({
        id: "type",
        header: t("equipment.columns.type"),
        cell: (row) => labels.type(typeWord(row.type)),
      }),
      fuel: column({
        id: "fuel",
        header: t("equipment.columns.fuelType"),
        card: "none",
        cell: (row) => labels.fuel(equipmentFuelWord(row.fuel)),
      }),
      usage: column({
        id: "usage",
        header: t("equipment.columns.currentUsage"),
        align: "end",
        sortable: true,
        cell: (row) => (
          <>
            <Amount>{dial.reading(row)}</Amount>
            <ReadingAge equipment={row} />
            {hasEarlierMeters(row) && (
              <span className="block text-xs text-muted">
                {t("labels.lifeShort", { amount: format.number(row.currentUsage) })}
              </span>
            )}
          </>
        ),
      }),
      threshold: column({
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
            labels.amount(row.threshold, unitWord(row.unit))
          ),
      }),
      status: column({
        id: "status",
        header: t("equipment.columns.status"),
        cell: (row) => <StatusCell equipment={row} />,
      }),
      interval: column({
        id: "interval",
        header: t("equipment.columns.serviceInterval"),
        align: "end",
        cell: (row) =>
          row.serviceInterval > 0 ? (
            <Amount>{labels.amount(row.serviceInterval, unitWord(row.unit))}</Amount>
          ) : (
            <span className="whitespace-nowrap text-muted">
              {t("equipment.columns.noInterval")}
            </span>
          ),
      }),
      urgency: column({
        id: "urgency",
        header: t("equipment.columns.serviceStatus"),
        card: "line",
        sortable: true,
        cell: (row) => <ServiceCell equipment={row} today={today} />,
      }),
      updated: column({
        id: "updated",
        header: t("equipment.columns.lastUpdated"),
        sortable: true,
        cell: (row) =>
          row.lastUpdated && (
            <span className="whitespace-nowrap">
              {format.instantDay(timestampDate(row.lastUpdated))}
            </span>
          ),
      }),
      actions: column({
        id: "actions",
        header: t("equipment.columns.actions"),
        card: "actions",
        align: "end",
        cell: (row) => <RowActions equipment={row} onAction={(action) => onAction(action, row)} />,
      }),
    };
  }, [t, labels, format, dial, today, onAction]);
}

function Amount({ children }: { children: string }) {
  return <span className="whitespace-nowrap">{children}</span>;
}

function StatusCell({ equipment }: { equipment: Equipment }) {
  const labels = useEquipmentLabels();
  const overall = overallStatusWord(equipment.overallStatus);
  return (
    // Wide enough for the longest label, so that the column's width is stable.
    <div className="xl:min-w-26">
      <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
        <StatusIcon severity={severityIn(equipment, overall)} />
        {labels.overall(overall)}
      </span>
      <Lifespan equipment={equipment} />
    </div>
  );
}

/** Used lifespan; highlighted from the alert threshold. */
function Lifespan({ equipment }: { equipment: Equipment }) {
  const labels = useEquipmentLabels();
  if (equipment.lifespanPercent === undefined) return null;
  const text = labels.lifespan(equipment.lifespanPercent);
  return equipment.lifespanAlert ? (
    <span className="flex items-center gap-1 text-xs font-semibold">
      <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
      {text}
    </span>
  ) : (
    <span className="block text-xs text-muted">{text}</span>
  );
}
