import { Plus, Trash2 } from "lucide-react";
import { useFieldArray, type Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { TaskSet } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { calendarUnits } from "#/domain/calendar";
import { unitWord } from "#/domain/equipment-wire";
import { meterUnits } from "#/domain/equipment-words";
import { NumberField } from "#/shared/form/fields/number-field";
import { SelectField } from "#/shared/form/fields/select-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { useAppForm } from "#/shared/form/use-app-form";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { calendarUnitLabel } from "#/shared/words/calendar-unit-label";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { ItemOptions } from "./item-options";
import { setChanges } from "./merge-set";
import { Changes } from "./result-list";
import { blankItem, setSchema, valuesOfSet, type SetValues } from "./set-schema";
import { useSaveSet } from "./use-save-set";

const maxItems = 50;

/** `set` is null for a new one, which may begin with `values`. */
export function SetDialog({
  set,
  values,
  onClose,
  onSaved,
}: {
  set: TaskSet | null;
  values?: SetValues | undefined;
  onClose: () => void;
  onSaved: (set: TaskSet) => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const initial = set ? valuesOfSet(set) : values;
  const form = useAppForm<SetValues>(
    setSchema,
    initial ?? { name: "", unit: "hours", items: [blankItem] },
  );
  const { save, pending, error, conflict } = useSaveSet(set, form, onSaved);
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={set ? t("task-sets.editor.editTitle") : t("task-sets.create")}
      description={t("task-sets.editor.text")}
      onSubmit={form.handleSubmit(save)}
      loading={pending}
      submitError={error}
      submitLabel={t("task-sets.editor.save")}
      pendingLabel={t("equipment-detail.tasks.saving")}
    >
      {conflict && <ConflictNotice {...conflict} />}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          control={form.control}
          name="name"
          label={t("task-sets.editor.name")}
          placeholder={t("task-sets.editor.namePlaceholder")}
          maxLength={100}
        />
        <SelectField
          control={form.control}
          name="unit"
          label={t("task-sets.editor.unit")}
          options={meterUnits.map((value) => ({
            value,
            label: value === "n/a" ? t("task-sets.editor.calendarOnly") : labels.unit(value),
          }))}
        />
      </div>
      <Items control={form.control} />
    </FormDialog>
  );
}

function Items({ control }: { control: Control<SetValues> }) {
  const { t } = useTranslation();
  const { fields, append, remove } = useFieldArray({ control, name: "items", keyName: "key" });
  return (
    <div className="space-y-4">
      <ol className="space-y-4">
        {fields.map((row, index) => (
          <li
            key={row.key}
            aria-label={t("task-sets.editor.task", { number: index + 1 })}
            className="space-y-3 rounded-card border border-line p-3"
          >
            <div className="flex items-start gap-2">
              <div className="min-w-0 flex-1">
                <TextField
                  control={control}
                  name={`items.${index}.name`}
                  label={t("task-sets.editor.task", { number: index + 1 })}
                  placeholder={t("equipment-detail.tasks.namePlaceholder")}
                  maxLength={100}
                />
              </div>
              {fields.length > 1 && (
                <div className="pt-7">
                  <Button
                    variant="quiet"
                    icon
                    aria-label={t("task-sets.editor.remove", { number: index + 1 })}
                    onClick={() => remove(index)}
                  >
                    <Trash2 aria-hidden className="size-4" />
                  </Button>
                </div>
              )}
            </div>
            <div className="grid grid-cols-2 items-start gap-3 md:grid-cols-3">
              <div className="col-span-2 md:col-span-1">
                <NumberField
                  control={control}
                  name={`items.${index}.usageInterval`}
                  label={t("equipment-detail.tasks.usageInterval")}
                  whole
                />
              </div>
              <NumberField
                control={control}
                name={`items.${index}.calendarInterval`}
                label={t("equipment-detail.tasks.calendarInterval")}
                whole
                digitsOnly
              />
              <SelectField
                control={control}
                name={`items.${index}.calendarUnit`}
                label={t("equipment-form.fields.maintenanceUnit")}
                options={calendarUnits.map((value) => ({
                  value,
                  label: calendarUnitLabel(t, value),
                }))}
              />
            </div>
            <ItemOptions control={control} index={index} initial={row} />
          </li>
        ))}
      </ol>
      {fields.length < maxItems && (
        <Button size="small" onClick={() => append({ ...blankItem })}>
          <Plus aria-hidden className="size-4" />
          {t("equipment-detail.tasks.add")}
        </Button>
      )}
    </div>
  );
}

/** What someone else has changed since the form was opened. */
function ConflictNotice({ opened, now }: { opened: TaskSet; now: TaskSet }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const changes = setChanges(opened, now);
  const lines = [
    { field: t("task-sets.editor.name"), before: opened.name, after: now.name },
    {
      field: t("task-sets.editor.unit"),
      before: labels.unit(unitWord(opened.unit)),
      after: labels.unit(unitWord(now.unit)),
    },
  ].filter(({ before, after }) => before !== after);
  return (
    <div role="alert">
      <Notice>
        <p className="font-semibold">{t("task-sets.editor.changedMeanwhile")}</p>
        {lines.map((line) => (
          <p key={line.field} className="mt-1 text-sm wrap-anywhere">
            {t("equipment-history.record.change", line)}
          </p>
        ))}
        {changes.length > 0 && <Changes changes={changes} unit={now.unit} />}
      </Notice>
    </div>
  );
}
