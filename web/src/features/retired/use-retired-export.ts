import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { useTranslation } from "react-i18next";
import type { RetiredEquipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dayIn } from "#/domain/calendar";
import { equipmentFuelWord, typeWord, unitWord } from "#/domain/equipment-wire";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { csv, type Cell } from "#/shared/csv/csv";
import { download } from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { useCompanyZone } from "#/shared/use-company-day";

export function useRetiredExport() {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();

  const zone = useCompanyZone();
  const day = (at: Timestamp | undefined) => (at ? dayIn(zone, timestampDate(at)) : "");

  const exportCsv = (rows: readonly RetiredEquipment[], searched: boolean) => {
    if (rows.length === 0) {
      toast.failure(
        t("retired.export.none"),
        searched ? t("retired.noMatch.text") : t("retired.export.noneText"),
      );
      return;
    }
    const unit = labels.fuelUnit;
    const header = [
      t("retired.export.name"),
      t("retired.export.type"),
      t("retired.export.serialNumber"),
      t("retired.export.unit"),
      t("retired.export.finalUsage"),
      t("retired.export.lifespan"),
      t("retired.export.serviceInterval"),
      t("retired.export.lastServiceUsage"),
      t("retired.export.fuelType"),
      t("retired.export.totalFuel", { unit }),
      t("retired.export.gas", { unit }),
      t("retired.export.diesel", { unit }),
      t("retired.export.notes"),
      t("retired.export.retiredBy"),
      t("retired.export.dateAdded"),
      t("retired.export.dateRetired"),
      t("equipment-form.fields.unitNumber"),
      t("equipment-form.fields.group"),
    ];
    const cells = rows.map((row): Cell[] => [
      row.name,
      labels.type(typeWord(row.type)),
      row.serialNumber ?? "",
      labels.unit(unitWord(row.unit)),
      row.finalUsage,
      row.threshold ?? null,
      row.serviceInterval > 0 ? row.serviceInterval : null,
      row.lastServiceUsage ?? null,
      labels.fuel(equipmentFuelWord(row.fuel)),
      row.totalFuelUsed,
      row.totalGasUsed,
      row.totalDieselUsed,
      row.retirementNotes,
      row.retiredBy,
      day(row.originalDateAdded),
      day(row.retiredAt),
      row.unitNumber ?? "",
      row.group ?? "",
    ]);
    download(`retired-equipment-${fileDate(new Date())}.csv`, csv(header, cells));
    toast.success(
      t("retired.export.done"),
      t("retired.export.doneText", { count: rows.length, rows: format.number(rows.length) }),
    );
  };

  return exportCsv;
}
