import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { meterUnits } from "#/domain/equipment-words";
import { useEquipmentLabels } from "#/domain/use-equipment-labels";
import { FormPage } from "#/shared/form/form-page";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { LeaveGuard } from "#/shared/form/leave-guard";
import { useAppForm } from "#/shared/form/use-app-form";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { PartsSection } from "./parts-section";
import { equipmentSchema } from "./schema";
import { IdentitySection, ScheduleSection, ServiceSection, UsageSection } from "./sections";
import { StaleNotice } from "./stale-notice";
import { StatusPreview } from "./status-preview";
import { useSaveEquipment } from "./use-save-equipment";
import { blankValues, valuesOf } from "./values";

/** All blocks of the form; `equipment` is the one being edited, as it was loaded. */
export function EquipmentForm({
  equipment: loaded,
  addBlocked,
  onSaved,
  onCancel,
  onReload,
}: {
  equipment: Equipment | null;
  /** Why nothing can be added now. */
  addBlocked: string | undefined;
  onSaved: () => void;
  onCancel: () => void;
  /** Loads the newest state and starts over from it. */
  onReload: () => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  // Kept as it was when the form opened: a refresh in the background must neither change the form
  // under the typing hands nor hide that someone else saved meanwhile.
  const [equipment] = useState(loaded);
  const form = useAppForm(equipmentSchema, equipment ? valuesOf(equipment) : blankValues);
  const { control } = form;
  const leaving = useRef(false);
  const isDirty = form.formState.isDirty;
  const { save, saveAnyway, pending, stale, submitError } = useSaveEquipment(
    form,
    equipment,
    () => {
      leaving.current = true;
      onSaved();
    },
  );
  const unit = meterUnits.find((word) => word === form.watch("unit"));
  const measured = unit && unit !== "n/a" ? labels.unit(unit) : undefined;
  return (
    <>
      <LeaveGuard dirty={() => isDirty && !leaving.current} />
      <FormPage
        onSubmit={form.handleSubmit(save)}
        loading={pending}
        submitError={stale ? null : submitError}
        submitLabel={equipment ? t("equipment.form.update") : t("equipment.form.add")}
        pendingLabel={equipment ? t("equipment.form.updating") : t("equipment.form.adding")}
        disabledReason={addBlocked}
        footerClass="lg:mr-80"
        secondary={<Button onClick={onCancel}>{t("common.cancel")}</Button>}
      >
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_19rem]">
          <div className="space-y-4">
            <IdentitySection control={control} />
            <UsageSection control={control} unit={measured} />
            <ServiceSection control={control} unit={measured} />
            <ScheduleSection form={form} />
            <PartsSection control={control} />
            <Card title={t("equipment.form.description")}>
              <TextAreaField
                control={control}
                name="description"
                label={t("equipment.form.descriptionLabel")}
                optional
                rows={4}
              />
            </Card>
          </div>
          <div className="lg:sticky lg:top-20">
            <StatusPreview control={control} adding={equipment === null} />
          </div>
        </div>
        {stale && (
          <StaleNotice
            onReload={onReload}
            onSaveAnyway={() => void form.handleSubmit(saveAnyway)()}
          />
        )}
      </FormPage>
    </>
  );
}
