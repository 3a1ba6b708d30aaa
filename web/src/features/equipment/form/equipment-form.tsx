import { useRef, useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { meterUnits } from "#/domain/equipment-words";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { FormPage } from "#/shared/form/form-page";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { LeaveGuard } from "#/shared/form/leave-guard";
import { useAppForm } from "#/shared/form/use-app-form";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { ConflictPanel, type Choices, type Side } from "./conflict-panel";
import { GoneNotice } from "./gone-notice";
import { take, type Topic } from "./merge";
import { MoreDetails } from "./more-details";
import { PartsSection } from "./parts-section";
import { equipmentSchema, type EquipmentValues } from "./schema";
import {
  IdentitySection,
  LifespanSection,
  NumbersSection,
  ScheduleSection,
  ServiceSection,
} from "./sections";
import { StatusPreview } from "./status-preview";
import { changesUnit } from "./unit-change";
import { useSaveEquipment, type Conflict } from "./use-save-equipment";
import { blankValues, valuesOf, valuesOfCopy } from "./values";

const UnitChangeDialog = dialogOnDemand(() =>
  import("./unit-change-dialog").then((module) => module.UnitChangeDialog),
);

/** `equipment` is the version that was loaded for editing; null when adding, maybe a copy. */
export function EquipmentForm({
  equipment: loaded,
  copyOf,
  addBlocked,
  onSaved,
  onCancel,
}: {
  equipment: Equipment | null;
  copyOf?: Equipment;
  /** Why equipment can't be added now. */
  addBlocked: string | undefined;
  onSaved: () => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  // The version at opening: a background refetch must neither change the form nor hide that someone
  // else has saved since.
  const [equipment] = useState(loaded);
  const today = useCompanyDay();
  const copyName = t("equipment-form.copyName", { name: copyOf?.name });
  const form = useAppForm(
    equipmentSchema,
    equipment ? valuesOf(equipment) : copyOf ? valuesOfCopy(copyOf, copyName, today) : blankValues,
  );
  const { control } = form;
  const leaving = useRef(false);
  const isDirty = form.formState.isDirty;
  const { save, pending, conflict, gone, submitError } = useSaveEquipment(
    form,
    equipment,
    () => {
      leaving.current = true;
      onSaved();
    },
    copyOf?.id,
  );
  const beginNext = () => {
    const { type, unit, fuel, group, serviceInterval } = form.getValues();
    const kept = { type, unit, fuel, group, serviceInterval };
    form.reset({ ...blankValues, ...kept }, { keepFieldsRef: true });
    form.setFocus("name");
  };
  const { choices, choose, undecided } = useChoices(form, conflict);
  const [confirming, setConfirming] = useState(false);
  const unit = meterUnits.find((word) => word === form.watch("unit"));
  const measured = unit && unit !== "n/a" ? labels.unit(unit) : undefined;
  return (
    <>
      <LeaveGuard dirty={() => isDirty && !leaving.current} />
      <FormPage
        onSubmit={form.handleSubmit((values) =>
          changesUnit(equipment, values) ? setConfirming(true) : save(values),
        )}
        loading={pending}
        submitError={submitError}
        toasted
        submitLabel={equipment ? t("equipment-form.fields.update") : t("equipment.add")}
        pendingLabel={
          equipment ? t("equipment-form.fields.updating") : t("equipment-form.fields.adding")
        }
        disabledReason={addBlocked ?? undecided}
        footerClass="lg:mr-80"
        secondary={
          <>
            <Button onClick={onCancel}>{t("common.cancel")}</Button>
            {!equipment && (
              <Button
                disabledReason={addBlocked}
                onClick={() => void form.handleSubmit((values) => save(values, beginNext))()}
              >
                {t("equipment-form.another")}
              </Button>
            )}
          </>
        }
      >
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_19rem]">
          <div className="space-y-4">
            <IdentitySection form={form} unit={measured} equipment={equipment} />
            <ServiceSection form={form} unit={measured} equipment={equipment} />
            <MoreDetails control={control} openAtFirst={equipment !== null || copyOf !== undefined}>
              <NumbersSection form={form} equipment={equipment} />
              <LifespanSection form={form} unit={measured} />
              <ScheduleSection form={form} />
              <PartsSection control={control} />
              <Card title={t("equipment-form.fields.description")}>
                <TextAreaField
                  control={control}
                  name="description"
                  label={t("equipment-form.fields.descriptionLabel")}
                  optional
                  rows={4}
                />
              </Card>
            </MoreDetails>
          </div>
          <div className="lg:sticky lg:top-20">
            <StatusPreview control={control} equipment={equipment} />
          </div>
        </div>
        {conflict && (
          <ConflictPanel
            key={conflict.round}
            conflict={conflict}
            choices={choices}
            onChoose={choose}
          />
        )}
        {gone && equipment && <GoneNotice gone={gone} id={equipment.id} name={equipment.name} />}
      </FormPage>
      {confirming && equipment && (
        <UnitChangeDialog
          form={form}
          equipment={equipment}
          onClose={() => setConfirming(false)}
          onConfirm={(values) => {
            setConfirming(false);
            save(values);
          }}
        />
      )}
    </>
  );
}

/** The chosen side of each conflicting field; the form holds the values to save. */
function useChoices(form: UseFormReturn<EquipmentValues>, conflict: Conflict | null) {
  const { t } = useTranslation();
  const [made, setMade] = useState<{ round: number; choices: Choices }>({ round: 0, choices: {} });
  const choices = conflict && made.round === conflict.round ? made.choices : {};
  const choose = (topics: readonly Topic[], side: Side) => {
    if (!conflict) return;
    const chosen = Object.fromEntries(topics.map((topic) => [topic, side]));
    setMade({ round: conflict.round, choices: { ...choices, ...chosen } });
    const from = side === "mine" ? conflict.values : valuesOf(conflict.stored);
    form.reset(take(form.getValues(), from, topics), { keepDefaultValues: true });
  };
  const open = conflict?.conflicts.some((topic) => !choices[topic]);
  return { choices, choose, undecided: open ? t("equipment-form.merge.undecided") : undefined };
}
