import { useTransport } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { fieldMessage, useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { TaskSetService, type TaskSet } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { showFieldErrors } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { useRefreshEquipment } from "../queries";
import { mergeSet } from "./merge-set";
import { taskSetsQuery } from "./queries";
import { toSetInput, type SetValues } from "./set-schema";

/** The form's fields of an item, by the server's names. */
const itemFields = {
  name: "name",
  usageInterval: "usageInterval",
  calendarInterval: "calendarInterval",
  warningPercent: "warning",
  warningUsage: "warning",
  warningDays: "warningDays",
} as const;

/** Saves a set. If someone else has saved it since, the form gets what they changed. */
export function useSaveSet(
  set: TaskSet | null,
  form: UseFormReturn<SetValues>,
  onSaved: (set: TaskSet) => void,
) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const client = useQueryClient();
  const transport = useTransport();
  const [conflict, setConflict] = useState<{ opened: TaskSet; now: TaskSet } | null>(null);
  const base = conflict?.now ?? set;
  const outcome = {
    onSuccess: ({ taskSet }: { taskSet?: TaskSet | undefined }) => {
      toast.success(t("task-sets.editor.saved"), taskSet?.name);
      void refresh();
      if (taskSet) onSaved(taskSet);
    },
    onError: async (error: Error) => {
      showFieldErrors(form, error, ["name", "unit"]);
      const { fields } = toFailure(error);
      form.getValues("items").forEach((_, at) => {
        for (const [refused, field] of Object.entries(itemFields)) {
          const sentence = fields[`items[${at}].${refused}`];
          if (!sentence) continue;
          const message = fieldMessage(sentence);
          form.setError(`items.${at}.${field}`, { type: "server", message });
        }
      });
      if (!base || toFailure(error).code !== "STALE") return;
      const found = await client.fetchQuery(taskSetsQuery(transport)).catch(() => null);
      const now = found?.taskSets.find(({ id }) => id === base.id);
      if (!now) return;
      form.reset(mergeSet(base, now, form.getValues()));
      setConflict({ opened: base, now });
    },
  };
  const create = useWrite(TaskSetService.method.createTaskSet, outcome);
  const update = useWrite(TaskSetService.method.updateTaskSet, outcome);
  const error = create.error ?? update.error;
  const isExplained = conflict !== null && toFailure(error).code === "STALE";
  return {
    save: (values: SetValues) => {
      const taskSet = toSetInput(values);
      if (base) update.mutate({ id: base.id, taskSet, expectedRevision: base.revision });
      else create.mutate({ taskSet });
    },
    pending: create.isPending || update.isPending,
    error: error && !isExplained ? errorText(error) : null,
    /** The version that the form began with, and the one that someone else has saved since. */
    conflict,
  };
}
