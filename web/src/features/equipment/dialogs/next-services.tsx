import { useWatch, type Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { hasEarlierMeters, lifeToDate } from "#/domain/dial";
import { parseDecimal } from "#/shared/form/decimal";
import { useCompanyDay } from "#/shared/use-company-day";
import { dueAfter, dueNow, useDueText } from "./due-after";
import { usageFromFirst, useFirstReadingAfter } from "./first-reading";
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
  const dueText = useDueText();
  const today = useCompanyDay();
  const { meter, taskIds } = useWatch({
    control,
    compute: (typed: ServiceValues) => typed,
  });
  const reading = meter === null ? preset : (parseDecimal(meter) ?? undefined);
  // A past day may be that of an earlier meter, of which the dial says nothing.
  const isKnown = day === today || !hasEarlierMeters(seen);
  const usage = reading === undefined || !isKnown ? undefined : lifeToDate(seen, reading);
  const first = useFirstReadingAfter(seen, day);
  const lines = tasks
    .filter(({ id }) => taskIds.includes(id))
    .flatMap((task) => {
      // A service before the last one changes nothing.
      const now = dueNow(task);
      const counted = reading === undefined ? usageFromFirst(task, first) : usage;
      const after =
        day < task.lastServicedOn ? now : dueAfter(task, { usage: counted, day, today });
      const value = dueText(seen, after);
      return value === "" ? [] : [{ task, value }];
    });
  return (
    <output className="block space-y-1 empty:hidden" aria-label={t("equipment-detail.done.next")}>
      {lines.map(({ task, value }) => (
        <NextService key={task.id} task={task} value={value} />
      ))}
    </output>
  );
}

export function NextService({ task, value }: { task: ServiceTask; value: string }) {
  const { t } = useTranslation();
  return (
    <span className="flex flex-wrap justify-between gap-x-4">
      <span className="min-w-0 wrap-anywhere">
        {task.fromForm ? t("equipment-detail.tasks.regular") : task.name}
      </span>
      <span className="font-semibold">{t("equipment-detail.tasks.next", { value })}</span>
    </span>
  );
}
