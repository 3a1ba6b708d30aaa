import { callUnaryMethod } from "@connectrpc/connect-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { readDate } from "#/domain/calendar";
import { key } from "#/i18n/key";
import { DateField } from "#/shared/form/fields/date-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { useAppForm } from "#/shared/form/use-app-form";
import { useCompanyDay } from "#/shared/use-company-day";
import { dueTasks } from "../dialogs/due-tasks";
import { undoEntries } from "../dialogs/use-undo-changes";
import { BulkForm, type BulkProps } from "./bulk-form";
import { NotDueNotice, ServiceList } from "./service-list";
import { serviceOf, useLoadedTasks } from "./services";
import { useBulk } from "./use-bulk";

const { markServiced } = EquipmentService.method;

const servicedSchema = v.object({
  performedAt: v.pipe(
    v.string(),
    v.check(
      (date) => date === "" || readDate(date) !== null,
      key("equipment-form.fields.dateInvalid"),
    ),
  ),
  notes: v.string(),
});
type ServicedValues = v.InferOutput<typeof servicedSchema>;

/** Marks the tasks that are due as done; of a machine without one, the regular service. */
export function ServicedDialog({ machines, onClose, onDone }: BulkProps) {
  const { t } = useTranslation();
  const today = useCompanyDay();
  const form = useAppForm(servicedSchema, { performedAt: today, notes: "" });
  const loaded = useLoadedTasks(machines);
  const [onlyDue, setOnlyDue] = useState(false);
  const notDue = machines.filter((machine) => serviceOf(machine, loaded).isDue === false);
  // A repeat sends the same tasks: those of a service whose response was lost are no longer due.
  const chosen = useRef(new Map<string, string[]>());
  const bulk = useBulk<ServicedValues>(
    onlyDue ? machines.filter((machine) => !notDue.includes(machine)) : machines,
    async (transport, machine, { performedAt, notes }) => {
      const { id } = machine;
      const taskIds =
        chosen.current.get(id) ??
        serviceOf(machine, loaded).taskIds ??
        (await dueTasks(transport, id)).map((task) => task.id);
      chosen.current.set(id, taskIds);
      const { entryIds } = await callUnaryMethod(transport, markServiced, {
        id,
        performedAt,
        notes: notes.trim(),
        taskIds,
      });
      return undoEntries(id, entryIds, t("equipment-dialogs.undo.reason"));
    },
    onDone,
  );
  const count = bulk.rows.length;
  return (
    <BulkForm
      form={form}
      bulk={bulk}
      onClose={onClose}
      title={t("equipment-bulk.serviced.title", { count })}
      text={t("equipment-bulk.serviced.text")}
      submit={t("equipment-bulk.serviced.submit", { count })}
      disabledReason={loaded ? undefined : t("equipment-bulk.serviced.loading")}
    >
      {loaded && notDue.length > 0 && bulk.failed.length === 0 && (
        <NotDueNotice
          count={notDue.length}
          isAll={notDue.length === machines.length}
          isLeftOut={onlyDue}
          onLeaveOut={setOnlyDue}
        />
      )}
      {loaded ? (
        <ServiceList services={bulk.rows.map((machine) => serviceOf(machine, loaded))} />
      ) : (
        <p role="status" className="text-muted">
          {t("equipment-bulk.serviced.loading")}
        </p>
      )}
      <DateField
        control={form.control}
        name="performedAt"
        label={t("equipment-dialogs.serviced.date")}
        max={today}
      />
      <TextAreaField
        control={form.control}
        name="notes"
        label={t("equipment-dialogs.serviced.notes")}
        optional
        rows={2}
      />
    </BulkForm>
  );
}
