import { Link } from "@tanstack/react-router";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { meterUnits } from "#/domain/equipment-words";
import { FormDialog } from "#/shared/form/form-dialog";
import { Notice } from "#/shared/ui/notice";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { FigureField } from "./figure-field";
import type { EquipmentValues } from "./schema";

/** Confirms the figures in the new unit; earlier ones keep theirs. */
export function UnitChangeDialog({
  form,
  equipment,
  onConfirm,
  onClose,
}: {
  form: UseFormReturn<EquipmentValues>;
  equipment: Equipment;
  onConfirm: (values: EquipmentValues) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const { control } = form;
  const before = unitWord(equipment.unit);
  const after = meterUnits.find((word) => word === form.watch("unit")) ?? "n/a";
  const units = {
    name: equipment.name,
    before: labels.unit(before).toLocaleLowerCase(),
    after: labels.unit(after).toLocaleLowerCase(),
  };
  const unit = labels.unit(after);
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("equipment-form.unit.title", units)}
      description={t("equipment-form.unit.text", units)}
      onSubmit={form.handleSubmit(onConfirm)}
      loading={false}
      submitError={null}
      submitLabel={t("equipment-form.unit.submit")}
      pendingLabel={t("equipment-form.fields.updating")}
    >
      {after !== "n/a" && (
        <>
          <p className="font-semibold">{t("equipment-form.unit.check", units)}</p>
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <FigureField
              control={control}
              name="currentUsage"
              unit={unit}
              hint={t("equipment-form.unit.usageHint")}
            />
            <FigureField control={control} name="lastServiceUsage" unit={unit} />
            <FigureField control={control} name="serviceInterval" unit={unit} />
            <FigureField control={control} name="threshold" unit={unit} />
          </div>
        </>
      )}
      {equipment.moreTasks > 0 && (
        <Notice>
          {t("equipment-form.unit.tasks", { count: equipment.moreTasks })}{" "}
          <Link
            to="/equipment/item/$id"
            params={{ id: equipment.id }}
            search={{ tab: "service" }}
            className="font-semibold text-accent underline underline-offset-3"
          >
            {t("equipment-form.tasks.open")}
          </Link>
        </Notice>
      )}
    </FormDialog>
  );
}
