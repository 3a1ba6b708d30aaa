import { Code, ConnectError } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { EquipmentService, type ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { nextDate } from "#/domain/calendar";
import { key } from "#/i18n/key";
import { DateField } from "#/shared/form/fields/date-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { useAppForm } from "#/shared/form/use-app-form";
import { useCompanyDay } from "#/shared/use-company-day";
import { isAfter, longestReason, snoozeReason } from "../detail/snooze-schema";
import { isDue } from "../dialogs/is-due";
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
type SnoozeValues = v.InferOutput<ReturnType<typeof snoozeSchema>>;

/** Snoozes the tasks that are due; if none is, the regular service. */
export function SnoozeDialog({ machines, onClose }: BulkProps) {
  const { t } = useTranslation();
  const today = useCompanyDay();
  const form = useAppForm<SnoozeValues>(snoozeSchema(today), {
    untilDate: nextDate(today, 7, "days") ?? "",
    reason: "",
  });
  // Snoozed tasks are no longer due, so a repeat names those of the first attempt.
  const chosen = useRef(new Map<string, readonly string[]>());
  const bulk = useBulk<SnoozeValues>(
    machines,
    async (transport, { id: equipmentId }, { untilDate, reason }) => {
      const taskIds =
        chosen.current.get(equipmentId) ??
        idsToSnooze((await callUnaryMethod(transport, listServiceTasks, { equipmentId })).tasks);
      chosen.current.set(equipmentId, taskIds);
      if (taskIds.length === 0) {
        throw new ConnectError(t("equipment-bulk.snooze.noTask"), Code.FailedPrecondition);
      }
      const text = reason.trim();
      await Promise.all(
        taskIds.map((taskId) =>
          callUnaryMethod(transport, snoozeServiceTask, {
            equipmentId,
            taskId,
            untilDate,
            reason: text,
          }),
        ),
      );
      return async (later) => {
        await Promise.all(
          taskIds.map((taskId) => callUnaryMethod(later, wakeServiceTask, { equipmentId, taskId })),
        );
        return 0;
      };
    },
    onClose,
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

function idsToSnooze(tasks: readonly ServiceTask[]): readonly string[] {
  const due = tasks.filter(isDue);
  return (due.length > 0 ? due : tasks.filter(({ fromForm }) => fromForm)).map(({ id }) => id);
}
