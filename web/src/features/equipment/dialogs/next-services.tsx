import { useWatch, type Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { hasEarlierMeters, lifeToDate } from "#/domain/dial";
import { parseDecimal } from "#/shared/form/decimal";
import { useFormat } from "#/shared/format/use-format";
import { useCompanyDay } from "#/shared/use-company-day";
import { taskPreview } from "../detail/task-preview";
import { valuesOfTask } from "../detail/task-schema";
import { useDialText } from "../meters/use-dial-text";
import type { ServiceValues } from "./service-schema";

/** When the chosen tasks are due next, after this service. */
export function NextServices({
  control,
  seen,
  tasks,
  day,
  preset,
}: {
  control: Control<ServiceValues>;
  seen: Equipment;
  tasks: readonly ServiceTask[];
  day: string;
  /** The meter on that day until one is typed. */
  preset: number | undefined;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const dial = useDialText();
  const today = useCompanyDay();
  const { meter, taskIds } = useWatch({
    control,
    compute: (typed: ServiceValues) => typed,
  });
  const reading = meter === null ? preset : (parseDecimal(meter) ?? undefined);
  // A past day may be that of an earlier meter, of which the dial says nothing.
  const isKnown = day === today || !hasEarlierMeters(seen);
  const usage = reading === undefined || !isKnown ? undefined : lifeToDate(seen, reading);
  const lines = tasks
    .filter(({ id }) => taskIds.includes(id))
    .flatMap((task) => {
      const { dueUsage, dueDate } = dueAfter(task, { usage, day, today });
      const due = [
        dueUsage === null ? "" : dial.due(seen, dueUsage),
        dueDate === null ? "" : format.calendarDate(dueDate),
      ];
      const value = due.filter((part) => part !== "").join(" · ");
      if (value === "") return [];
      const name = task.fromForm ? t("equipment-detail.tasks.regular") : task.name;
      return [
        {
          id: task.id,
          name,
          value: t("equipment-detail.tasks.next", { value }),
        },
      ];
    });
  return (
    <output className="block space-y-1 empty:hidden" aria-label={t("equipment-detail.done.next")}>
      {lines.map(({ id, name, value }) => (
        <span key={id} className="flex flex-wrap justify-between gap-x-4">
          <span className="min-w-0 wrap-anywhere">{name}</span>
          <span className="font-semibold">{value}</span>
        </span>
      ))}
    </output>
  );
}

/** Null: not known. A service before the last one changes nothing. */
function dueAfter(
  task: ServiceTask,
  { usage, day, today }: { usage: number | undefined; day: string; today: string },
): { dueUsage: number | null; dueDate: string | null } {
  if (day < task.lastDoneOn) {
    return {
      dueUsage: task.nextDueUsage ?? null,
      dueDate: task.nextDueDate || null,
    };
  }
  const values = valuesOfTask(task);
  const last = usage === undefined ? "" : String(usage);
  const done = { ...values, lastDoneUsage: last, lastDoneOn: day };
  const due = taskPreview(done, null, usage ?? null, today);
  return {
    dueUsage: usage === undefined ? null : (due.usage?.due ?? null),
    dueDate: due.calendar?.due ?? null,
  };
}
