import { useController, type Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useMessage } from "#/i18n/key";
import { CheckboxInput } from "#/shared/form/inputs/checkbox-input";
import type { ServiceValues } from "./service-schema";
import { useDueText } from "./use-due-text";

/** Which tasks were done, with how each of them is due. */
export function TaskChoice({
  control,
  tasks,
  equipment,
}: {
  control: Control<ServiceValues>;
  tasks: readonly ServiceTask[];
  equipment: Equipment;
}) {
  const { t } = useTranslation();
  const message = useMessage();
  const { field, fieldState } = useController({ control, name: "taskIds" });
  const error = fieldState.error?.message;
  const dueText = useDueText(equipment);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-semibold">{t("equipment-detail.done.tasks")}</legend>
      {tasks.map((task) => (
        <CheckboxInput
          key={task.id}
          label={
            <>
              {task.fromForm ? t("equipment-detail.tasks.regular") : task.name}
              <span className="block text-sm text-muted">{dueText(task)}</span>
            </>
          }
          checked={field.value.includes(task.id)}
          onChange={({ target }) =>
            field.onChange(
              target.checked
                ? [...field.value, task.id]
                : field.value.filter((id) => id !== task.id),
            )
          }
        />
      ))}
      {error && (
        <p role="alert" className="mt-1 text-sm font-semibold text-danger">
          {message(error)}
        </p>
      )}
    </fieldset>
  );
}
