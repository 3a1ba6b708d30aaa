import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTranslation } from "react-i18next";
import type { RetiredEquipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentFuelWord, typeWord, unitWord } from "#/domain/equipment-wire";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import type { Fact } from "./facts";

/** All facts in the archive; unset ones are omitted. */
export function useRetiredFacts(retired: RetiredEquipment): Fact[] {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const amount = (value: number | undefined) =>
    value === undefined ? "" : labels.amount(value, unitWord(retired.unit));
  const hasInterval = retired.serviceInterval > 0;
  const facts: Fact[] = [
    {
      id: "type",
      label: t("equipment-form.fields.type"),
      value: labels.type(typeWord(retired.type)),
    },
    {
      id: "unitNumber",
      label: t("equipment-form.fields.unitNumber"),
      value: retired.unitNumber ?? "",
      mono: true,
    },
    {
      id: "serial",
      label: t("equipment-form.fields.serialNumber"),
      value: retired.serialNumber ?? "",
      mono: true,
    },
    { id: "group", label: t("equipment-form.fields.group"), value: retired.group ?? "" },
    {
      id: "fuel",
      label: t("equipment-form.fields.fuelType"),
      value: labels.fuel(equipmentFuelWord(retired.fuel)),
    },
    {
      id: "lifespan",
      label: t("equipment-form.fields.threshold"),
      value: amount(retired.threshold),
    },
    {
      id: "interval",
      label: t("equipment-form.fields.serviceInterval"),
      value: hasInterval ? amount(retired.serviceInterval) : "",
    },
    {
      id: "last",
      label: t("equipment-form.fields.lastServiced"),
      value: hasInterval ? amount(retired.lastServiceUsage) : "",
    },
    {
      id: "total",
      label: t("equipment-detail.fuel.total"),
      value: labels.gallons(retired.totalFuelUsed),
    },
    {
      id: "gas",
      label: t("labels.fuelKinds.gas"),
      value: retired.totalGasUsed > 0 ? labels.gallons(retired.totalGasUsed) : "",
    },
    {
      id: "diesel",
      label: t("labels.fuelKinds.diesel"),
      value: retired.totalDieselUsed > 0 ? labels.gallons(retired.totalDieselUsed) : "",
    },
    {
      id: "added",
      label: t("equipment-detail.facts.added"),
      value: retired.originalDateAdded
        ? format.instantDay(timestampDate(retired.originalDateAdded))
        : "",
    },
    {
      id: "description",
      label: t("equipment-form.fields.description"),
      value: retired.description,
    },
    {
      id: "id",
      label: t("equipment-detail.facts.id"),
      value: retired.originalEquipmentId,
      mono: true,
    },
  ];
  return facts.filter((fact) => fact.value !== "");
}
