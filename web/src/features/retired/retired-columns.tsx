import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { RetiredEquipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentFuelWord, typeWord, unitWord } from "#/domain/equipment-wire";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import type { Column } from "#/shared/table/column";
import { rowLink } from "#/shared/table/use-row-links";
import { Button } from "#/shared/ui/button";
import { UnitNumber } from "#/shared/ui/unit-number";

/** The five required groups of facts, and Restore. */
export function useRetiredColumns(
  onRestore: (row: RetiredEquipment) => void,
): ReadonlyArray<Column<RetiredEquipment>> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: "equipment",
        header: t("retired.columns.equipment"),
        card: "title",
        sortValue: (row) => row.name,
        cell: (row) => <EquipmentCell row={row} />,
      },
      {
        id: "usage",
        header: t("retired.columns.usage"),
        cell: (row) => <UsageCell row={row} />,
      },
      {
        id: "fuel",
        header: t("retired.columns.fuel"),
        wide: true,
        sortValue: (row) => row.totalFuelUsed,
        cell: (row) => <FuelCell row={row} />,
      },
      {
        id: "retirement",
        header: t("retired.columns.retirement"),
        card: "line",
        cell: (row) => <RetirementCell row={row} />,
      },
      {
        id: "dates",
        header: t("retired.columns.dates"),
        card: "line",
        sortValue: (row) => Number(row.retiredAt?.seconds ?? 0),
        cell: (row) => <DatesCell row={row} />,
      },
      {
        id: "actions",
        header: t("equipment.columns.actions"),
        card: "actions",
        align: "end",
        cell: (row) => (
          // Wide enough for both languages in fixed-width columns.
          <span className="inline-flex min-w-26 justify-end">
            <Button
              size="small"
              aria-label={t("retired.restore.name", { name: row.name })}
              onClick={() => onRestore(row)}
            >
              {t("retired.restore.action")}
            </Button>
          </span>
        ),
      },
    ],
    [t, onRestore],
  );
}

function EquipmentCell({ row }: { row: RetiredEquipment }) {
  const labels = useEquipmentLabels();
  return (
    <>
      <UnitNumber number={row.unitNumber} />
      <Link
        {...rowLink}
        to="/equipment/item/$id"
        params={{ id: row.originalEquipmentId }}
        className="font-semibold decoration-1 underline-offset-2 hover:underline"
      >
        {row.name}
      </Link>
      <span className="block text-xs text-muted">
        {[labels.type(typeWord(row.type)), row.group].filter(Boolean).join(" · ")}
        {row.serialNumber && (
          <>
            {" · "}
            <span className="inline-block max-w-full font-mono break-all">{row.serialNumber}</span>
          </>
        )}
      </span>
    </>
  );
}

function UsageCell({ row }: { row: RetiredEquipment }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const unit = unitWord(row.unit);
  return (
    <>
      <span className="block">{labels.amount(row.finalUsage, unit)}</span>
      {row.threshold !== undefined && (
        <span className="block text-xs text-muted">
          {t("retired.ofLifespan", { amount: labels.amount(row.threshold, unit) })}
        </span>
      )}
      <span className="block text-xs text-muted">
        {row.serviceInterval > 0
          ? t("retired.everyInterval", { amount: labels.amount(row.serviceInterval, unit) })
          : t("labels.due.noSchedule")}
        {row.serviceInterval > 0 && row.lastServiceUsage !== undefined && (
          <> · {t("retired.lastAt", { value: format.number(row.lastServiceUsage) })}</>
        )}
      </span>
    </>
  );
}

function FuelCell({ row }: { row: RetiredEquipment }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const mixed = row.totalGasUsed > 0 && row.totalDieselUsed > 0;
  return (
    <>
      <span className="block whitespace-nowrap">{labels.gallons(row.totalFuelUsed)}</span>
      <span className="block text-xs text-muted">
        {mixed
          ? t("retired.fuelSplit", {
              gas: labels.gallons(row.totalGasUsed),
              diesel: labels.gallons(row.totalDieselUsed),
            })
          : labels.fuel(equipmentFuelWord(row.fuel))}
      </span>
    </>
  );
}

function RetirementCell({ row }: { row: RetiredEquipment }) {
  const { t } = useTranslation();
  return (
    <div className="max-w-80 min-w-40 text-sm">
      {row.retirementNotes.trim() ? (
        // The item's own page shows the full note.
        <p className="line-clamp-2 break-words">{row.retirementNotes}</p>
      ) : (
        <p className="text-muted">{t("retired.noNotes")}</p>
      )}
      {row.retiredBy && (
        <p className="text-xs text-muted">{t("retired.by", { name: row.retiredBy })}</p>
      )}
    </div>
  );
}

function DatesCell({ row }: { row: RetiredEquipment }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <div className="text-sm max-md:flex max-md:flex-wrap max-md:gap-x-3">
      {row.retiredAt && (
        <span className="block whitespace-nowrap">
          {t("retired.retiredOn", { date: format.instantDay(timestampDate(row.retiredAt)) })}
        </span>
      )}
      {row.originalDateAdded && (
        <span className="block whitespace-nowrap text-muted">
          {t("retired.addedOn", {
            date: format.instantDay(timestampDate(row.originalDateAdded)),
          })}
        </span>
      )}
    </div>
  );
}
