import { useTranslation } from "react-i18next";
import type { TaskSet } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { useFormat } from "#/shared/format/use-format";
import { usePrintReport } from "#/shared/print/use-print-report";
import { useIntervalText } from "../detail/use-interval-text";

/** Prints the sets as one table; the name and the number of machines are beside the first task. */
export function useSetsPrint() {
  const { t } = useTranslation();
  const format = useFormat();
  const interval = useIntervalText();
  const print = usePrintReport();
  return (sets: readonly TaskSet[]) =>
    print({
      title: t("shell.titles.taskSets"),
      columns: [
        { header: t("task-sets.print.set") },
        { header: t("task-sets.print.machines"), align: "end" },
        { header: t("service.task") },
        { header: t("task-sets.print.interval") },
      ],
      rows: sets.flatMap(({ name, machines, unit, items }) =>
        items.map((item, index) => [
          index === 0 && <b key="name">{name}</b>,
          index === 0 && format.number(machines),
          item.name,
          interval({ ...item, unit }),
        ]),
      ),
    });
}
