import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { RetiredEquipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentFuelWord, typeWord, unitWord } from "#/domain/equipment-wire";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { usePrintReport } from "#/shared/print/use-print-report";

/** Prints the rows on screen with all details of the table. */
export function useRetiredPrint() {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const printReport = usePrintReport();

  const cells = (row: RetiredEquipment) => {
    const unit = unitWord(row.unit);
    const { serviceInterval, lastServiceUsage } = row;
    return [
      <Stacked
        key="name"
        first={<b>{[row.unitNumber, row.name].filter(Boolean).join(" · ")}</b>}
        rest={[labels.type(typeWord(row.type)), row.serialNumber, row.group]}
      />,
      labels.amount(row.finalUsage, unit),
      row.threshold === undefined ? "" : labels.amount(row.threshold, unit),
      serviceInterval > 0 && (
        <Stacked
          key="service"
          first={labels.amount(serviceInterval, unit)}
          rest={[
            lastServiceUsage !== undefined &&
              t("retired.lastAt", { value: format.number(lastServiceUsage) }),
          ]}
        />
      ),
      <Stacked
        key="fuel"
        first={labels.gallons(row.totalFuelUsed)}
        rest={
          row.totalGasUsed > 0 || row.totalDieselUsed > 0
            ? [
                row.totalGasUsed > 0 &&
                  `${labels.fuelKind("gas")} ${labels.gallons(row.totalGasUsed)}`,
                row.totalDieselUsed > 0 &&
                  `${labels.fuelKind("diesel")} ${labels.gallons(row.totalDieselUsed)}`,
              ]
            : [labels.fuel(equipmentFuelWord(row.fuel))]
        }
      />,
      <span key="notes" className="whitespace-pre-line">
        {row.retirementNotes}
      </span>,
      row.retiredBy,
      <Day key="added" at={row.originalDateAdded} />,
      <Day key="retired" at={row.retiredAt} />,
    ];
  };

  return (rows: readonly RetiredEquipment[], search: string | undefined) => {
    const count = t("retired.count", { count: rows.length, rows: format.number(rows.length) });
    printReport({
      title: t("shell.titles.retired"),
      note: search ? `${count} · ${t("retired.searchedFor", { search })}` : count,
      columns: [
        { header: t("retired.columns.equipment") },
        { header: t("retired.export.finalUsage"), align: "end" },
        { header: t("retired.export.lifespan"), align: "end" },
        { header: t("retired.export.serviceInterval"), align: "end" },
        { header: t("retired.export.totalFuelShort"), align: "end" },
        { header: t("retired.export.notes") },
        { header: t("retired.export.retiredBy") },
        { header: t("retired.export.dateAdded") },
        { header: t("retired.export.dateRetired") },
      ],
      rows: rows.map(cells),
    });
  };
}

function Day({ at }: { at: Timestamp | undefined }) {
  const format = useFormat();
  return at && <span className="whitespace-nowrap">{format.instantDay(timestampDate(at))}</span>;
}

/** A fact with details below it; unknown ones are omitted. */
function Stacked({
  first,
  rest,
}: {
  first: ReactNode;
  rest: readonly (string | false | undefined)[];
}) {
  return (
    <>
      {first}
      {rest.map(
        (line) =>
          line && (
            <span key={line} className="block text-muted">
              {line}
            </span>
          ),
      )}
    </>
  );
}
