import { Code, ConnectError } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { nextDate } from "#/domain/calendar";
import { key } from "#/i18n/key";
import { DateField } from "#/shared/form/fields/date-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { useAppForm } from "#/shared/form/use-app-form";
import { useCompanyDay } from "#/shared/use-company-day";
import { isAfter, longestReason, snoozeReason } from "../detail/snooze-schema";
import { isDue } from "../dialogs/is-due";
import type { Undo } from "../dialogs/use-undo-changes";
import { BulkForm, type BulkProps } from "./bulk-form";
import { useBulk } from "./use-bulk";

const { listServiceTasks, snoozeServiceTask, wakeServiceTask } = EquipmentService.method;

const snoozeSchema = (today: string) =>
  v.object({
    untilDate: v.pipe(
      v.string(),
      v.check((date) => isAfter(today, date), key("equipment-detail.snooze.afterToday")),
    ),
    reason: snoozeReason,
  });
/** Ids of tasks. */
interface Plan {
  left: string[];
  snoozed: string[];
}
type SnoozeValues = v.InferOutput<ReturnType<typeof snoozeSchema>>;

/** Snoozes the tasks that are due. */
export function SnoozeDialog({ machines, onClose, onDone }: BulkProps) {
  const { t } = useTranslation();
  const today = useCompanyDay();
  const form = useAppForm<SnoozeValues>(snoozeSchema(today), {
    untilDate: nextDate(today, 7, "days") ?? "",
    reason: "",
  });
  // Snoozed tasks are no longer due, so a repeat has those that are left of the first attempt.
  const plans = useRef(new Map<string, Plan>());
  const bulk = useBulk<SnoozeValues>(
    machines,
    async (transport, { id: equipmentId }, { untilDate, reason }, keepUndo) => {
      let plan = plans.current.get(equipmentId);
      if (!plan) {
        const { tasks } = await callUnaryMethod(transport, listServiceTasks, { equipmentId });
        // A snooze that exists keeps its day and its reason.
        const left = tasks.filter((task) => isDue(task) && !task.snooze).map(({ id }) => id);
        if (left.length === 0) {
          const text = tasks.some(({ snooze }) => snooze)
            ? t("equipment-bulk.snooze.already")
            : t("equipment-bulk.snooze.noTask");
          throw new ConnectError(text, Code.FailedPrecondition);
        }
        plan = { left, snoozed: [] };
        plans.current.set(equipmentId, plan);
      }
      const { left, snoozed } = plan;
      for (let taskId = left[0]; taskId !== undefined; taskId = left[0]) {
        await callUnaryMethod(transport, snoozeServiceTask, {
          equipmentId,
          taskId,
          untilDate,
          reason: reason.trim(),
        });
        left.shift();
        snoozed.push(taskId);
        // The next task may fail.
        keepUndo(wake(equipmentId, snoozed));
      }
      return undefined;
    },
    onDone,
  );
  const count = bulk.rows.length;
  return (
    <BulkForm
      form={form}
      bulk={bulk}
      onClose={onClose}
      title={t("equipment-bulk.snooze.title", { count })}
      text={t("equipment-bulk.snooze.text")}
      submit={t("equipment-bulk.snooze.submit", { count })}
    >
      <DateField
        control={form.control}
        name="untilDate"
        label={t("equipment-detail.snooze.kind")}
        min={nextDate(today, 1, "days") ?? today}
      />
      <TextAreaField
        control={form.control}
        name="reason"
        label={t("equipment-detail.snooze.reason")}
        rows={2}
        maxLength={longestReason}
      />
    </BulkForm>
  );
}

/** Ends these snoozes, and removes them from the list. */
function wake(equipmentId: string, snoozed: string[]): Undo {
  return async (transport) => {
    for (let taskId = snoozed[0]; taskId !== undefined; taskId = snoozed[0]) {
      await callUnaryMethod(transport, wakeServiceTask, { equipmentId, taskId });
      snoozed.shift();
    }
    return 0;
  };
}
