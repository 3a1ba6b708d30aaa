import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { TFunction } from "i18next";
import { fieldMessage, useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { equipmentTypes } from "#/domain/equipment-types";
import { equipmentFuels, meterUnits, operationalStatuses } from "#/domain/equipment-words";
import { useMessage } from "#/i18n/key";
import { operationalLabel } from "#/shared/words/operational-label";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { fieldOf } from "../form/field-errors";
import type { CheckedRow, Problem, Duplicate } from "./check-rows";
import { importFields, type ImportField } from "./columns";

/** The headings of the template; an import finds the fields by them. */
export function fieldLabel(t: TFunction, field: ImportField): string {
  switch (field) {
    case "name":
      return t("equipment.columns.name");
    case "type":
      return t("equipment.columns.type");
    case "unitNumber":
      return t("equipment-form.fields.unitNumber");
    case "serialNumber":
      return t("equipment-list.csv.serialNumber");
    case "group":
      return t("equipment-form.fields.group");
    case "unit":
      return t("equipment-form.fields.unit");
    case "currentUsage":
      return t("equipment-form.fields.currentUsage");
    case "fuel":
      return t("equipment-form.fields.fuelType");
    case "serviceInterval":
      return t("equipment-form.fields.serviceInterval");
    case "lastServiceUsage":
      return t("equipment-form.fields.lastServiced");
    case "threshold":
      return t("equipment-form.fields.threshold");
    case "operationalStatus":
      return t("equipment.operational.label");
    case "description":
      return t("equipment-form.fields.description");
  }
}

/** Why a row can't be added, or should not be. */
export function useRowTexts() {
  const { t } = useTranslation();
  const message = useMessage();
  const errorText = useErrorText();
  const labels = useEquipmentLabels();
  const choices = useCallback(
    (field: ImportField): string => {
      switch (field) {
        case "type":
          return equipmentTypes.map(labels.type).join(", ");
        case "unit":
          return meterUnits.map(labels.unit).join(", ");
        case "fuel":
          return equipmentFuels.map(labels.fuel).join(", ");
        default:
          return operationalStatuses.map((status) => operationalLabel(t, status)).join(", ");
      }
    },
    [t, labels],
  );
  const problem = (field: ImportField, found: Problem): string => {
    switch (found.kind) {
      case "invalid":
        return message(found.message);
      case "unknown":
        return t("equipment-import.problems.unknown", {
          word: found.word,
          known: choices(field),
        });
      case "tooLong":
        return t("refusals.TEXT_TOO_LONG", { max: found.max });
      case "taken":
        return "row" in found.duplicate
          ? t("equipment-import.problems.sameUnitNumber", { row: found.duplicate.row })
          : t("refusals.UNIT_NUMBER_TAKEN");
    }
  };
  const duplicate = (field: "name" | "serialNumber", same: Duplicate): string => {
    if ("row" in same) {
      return field === "name"
        ? t("equipment-import.problems.sameName", { row: same.row })
        : t("equipment-import.problems.sameSerialNumber", { row: same.row });
    }
    return field === "name"
      ? t("equipment-form.duplicate.name", { name: same.name })
      : t("equipment-form.duplicate.serialNumber", { name: same.name });
  };
  return {
    problems: (row: CheckedRow) =>
      [...row.problems].map(([field, found]) => ({
        label: fieldLabel(t, field),
        text: problem(field, found),
      })),
    duplicates: (row: CheckedRow) =>
      [...row.duplicates].map(([field, same]) => duplicate(field, same)),
    /** The server's reasons. */
    failure: (error: unknown) => {
      const fields = Object.entries(toFailure(error).fields).map(([name, sentence]) => {
        const field = importFields.find((each) => each === fieldOf(name));
        return {
          label: field ? fieldLabel(t, field) : name,
          text: message(fieldMessage(sentence)),
        };
      });
      const text = errorText(error, "equipment-form.fields.addFailed");
      return fields.length > 0 ? fields : [{ label: "", text }];
    },
  };
}
