import { Link } from "@tanstack/react-router";
import type { Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { Notice } from "#/shared/ui/notice";
import type { RemoveValues } from "./remove-choice";

/** What is open for a machine that is to be removed. */
export function OpenMatters({
  control,
  waiting,
  due,
}: {
  control: Control<RemoveValues>;
  waiting: readonly string[];
  due: readonly ServiceTask[];
}) {
  const { t } = useTranslation();
  if (waiting.length + due.length === 0) return null;
  const names = due.map((task) =>
    task.fromForm ? t("equipment-detail.tasks.regular") : task.name,
  );
  return (
    <Notice>
      {due.length > 0 && (
        <p>{t("equipment-detail.open.tasks", { count: due.length, names: names.join(", ") })}</p>
      )}
      {waiting.length > 0 && (
        <>
          <p>
            {t("equipment-detail.open.waiting", { count: waiting.length })}{" "}
            <Link
              to="/review"
              className="font-semibold whitespace-nowrap text-accent underline underline-offset-3"
            >
              {t("equipment-detail.open.review")}
            </Link>
          </p>
          <CheckboxField
            control={control}
            name="rejectWaiting"
            label={t("equipment-detail.open.reject", { count: waiting.length })}
          />
        </>
      )}
    </Notice>
  );
}
