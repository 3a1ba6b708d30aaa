import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { TFunction } from "i18next";
import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OverallStatus } from "#/domain/service-status";
import { equipmentFuelWord, overallStatusWord, typeWord, unitWord } from "#/domain/equipment-wire";
import { useFormat } from "#/shared/format/use-format";
import { severityIn } from "#/shared/severity";
import { CellDetail } from "#/shared/table/cell-detail";
import type { Column } from "#/shared/table/column";
import { StatusIcon } from "#/shared/ui/status-badge";
import type { EquipmentLabels } from "#/shared/words/use-equipment-labels";
import type { OptionalColumn } from "./list-prefs";
import { PartsCell } from "./parts-cell";

/** The columns that are shown on request, loaded with the first one. */
export function optionalColumns({
  t,
  labels,
  format,
}: {
  t: TFunction;
  labels: EquipmentLabels;
  format: ReturnType<typeof useFormat>;
}): Record<OptionalColumn, Column<Equipment>> {
  return {
    type: {
      id: "type",
      header: t("equipment.columns.type"),
      cell: (row) => labels.type(typeWord(row.type)),
    },
    fuel: {
      id: "fuel",
      header: t("equipment.columns.fuelType"),
      cell: (row) => labels.fuel(equipmentFuelWord(row.fuel)),
    },
    threshold: {
      id: "threshold",
      header: t("equipment.columns.threshold"),
      align: "end",
      cell: (row) =>
        row.threshold === undefined ? (
          <Missing>{t("equipment.columns.noThreshold")}</Missing>
        ) : (
          <Amount>{labels.amount(row.threshold, unitWord(row.unit))}</Amount>
        ),
    },
    interval: {
      id: "interval",
      header: t("equipment.columns.serviceInterval"),
      align: "end",
      cell: (row) =>
        row.serviceInterval > 0 ? (
          <Amount>{labels.amount(row.serviceInterval, unitWord(row.unit))}</Amount>
        ) : (
          <Missing>{t("equipment.columns.noInterval")}</Missing>
        ),
    },
    status: {
      id: "status",
      header: t("equipment.columns.status"),
      cell: (row) => <OverallCell equipment={row} />,
    },
    parts: {
      id: "parts",
      header: t("equipment.columns.parts"),
      cell: (row) => <PartsCell parts={row.serviceParts} />,
    },
    updated: {
      id: "updated",
      header: t("equipment.columns.lastUpdated"),
      sortable: true,
      cell: (row) =>
        row.lastUpdated && <Amount>{format.instantDay(timestampDate(row.lastUpdated))}</Amount>,
    },
  };
}

function Amount({ children }: { children: string }) {
  return <span className="whitespace-nowrap">{children}</span>;
}

function Missing({ children }: { children: string }) {
  return <span className="whitespace-nowrap text-muted">{children}</span>;
}

function OverallCell({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const overall = overallStatusWord(equipment.overallStatus);
  return (
    <>
      <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
        <StatusIcon severity={severityIn(equipment, overall)} />
        {overallLabel(t, overall)}
      </span>
      <Lifespan equipment={equipment} />
    </>
  );
}

/** Used lifespan; highlighted from the alert threshold. */
function Lifespan({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (equipment.lifespanPercent === undefined) return null;
  const text = t("labels.lifespanNote", { percent: format.percent(equipment.lifespanPercent) });
  return equipment.lifespanAlert ? (
    <CellDetail className="font-semibold text-ink">
      <TriangleAlert aria-hidden className="mr-1 inline size-3.5" />
      {text}
    </CellDetail>
  ) : (
    <CellDetail>{text}</CellDetail>
  );
}

function overallLabel(t: TFunction, status: OverallStatus): string {
  switch (status) {
    case "normal":
      return t("labels.overall.normal");
    case "approaching":
      return t("labels.overall.approaching");
    case "overdue":
      return t("labels.overall.overdue");
  }
}
