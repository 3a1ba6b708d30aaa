import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { TaskSetChangeKind } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { machineSetsQuery } from "./queries";

/** By the id of a service task: the set that it comes from, or from which it differs. */
export function useSetTexts(equipmentId: string): ReadonlyMap<string, string> {
  const { t } = useTranslation();
  const { data } = useQuery(machineSetsQuery(useTransport(), equipmentId));
  const texts = (data?.results ?? []).flatMap(({ taskSetName: name, changes }) =>
    changes.map(({ taskId, kind }) => {
      const differs = kind === TaskSetChangeKind.KEPT;
      return [
        taskId,
        differs
          ? t("task-sets.machine.taskDiffers", { name })
          : t("task-sets.machine.taskFrom", { name }),
      ] as const;
    }),
  );
  return new Map(texts);
}
