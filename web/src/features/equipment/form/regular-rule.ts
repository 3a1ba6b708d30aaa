import { useTransport } from "@connectrpc/connect-query";
import { skipToken, useQuery } from "@tanstack/react-query";
import type { DeepPartialSkipArrayKey } from "react-hook-form";
import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { mostSevere } from "#/domain/service-status";
import { tasksQuery } from "../detail/queries";
import { taskPreview } from "../detail/task-preview";
import { valuesOfTask } from "../detail/task-schema";
import { isUsualRule, valuesOfRule } from "../rules/rule-schema";
import type { EquipmentValues } from "./schema";

/** The regular service of the edited equipment if it has a rule of its own. */
export function useRuledService(equipment: Equipment | null): ServiceTask | null {
  const query = tasksQuery(useTransport(), equipment?.id ?? "");
  const { data } = useQuery(equipment ? query : { ...query, queryFn: skipToken });
  const regular = data?.tasks.find(({ fromForm }) => fromForm);
  return regular && hasRule(regular) ? regular : null;
}

function hasRule(task: ServiceTask): boolean {
  return (
    !isUsualRule(valuesOfRule(task)) || task.firstDueUsage !== undefined || task.firstDueDate !== ""
  );
}

/** How the regular service is due by its rule with what is typed in the form. */
export function ruledPreview(
  task: ServiceTask,
  form: DeepPartialSkipArrayKey<EquipmentValues>,
  { last, usage, today }: { last: number; usage: number; today: string },
) {
  const scheduled = form.hasScheduledMaintenance ?? false;
  const values = {
    ...valuesOfTask(task),
    usageInterval: form.serviceInterval ?? "",
    lastDoneUsage: String(last),
    calendarInterval: scheduled ? (form.maintenanceInterval ?? "") : "",
    calendarUnit: form.maintenanceIntervalUnit ?? "months",
    lastDoneOn: form.maintenanceStartDate ?? "",
  };
  const due = taskPreview(values, task, usage, today);
  return {
    dueUsage: due.usage?.due ?? null,
    dueDate: due.calendar?.due ?? null,
    status: mostSevere([due.usage?.status ?? "good", due.calendar?.status ?? "good"]),
  };
}
