import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { serviceStatusWord } from "#/domain/equipment-wire";
import { severityOf } from "#/shared/severity";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton } from "#/shared/ui/skeleton";
import { StatusBadge } from "#/shared/ui/status-badge";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { nextTasks } from "./next-tasks";
import { tasksQuery } from "./queries";
import { useTaskWhen } from "./use-task-when";

/** The next tasks on a time line; hidden while none has a date or usage left. */
export function NextTasksCard({ equipment, onAll }: { equipment: Equipment; onAll: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const today = useCompanyDay();
  const { data, error, isPending, isFetching, refetch } = useQuery(
    tasksQuery(useTransport(), equipment.id),
  );
  const next = nextTasks(data?.tasks ?? [], equipment);
  const title = t("equipment-detail.next.title");
  if (isPending) return <Skeleton growing className="h-40 w-full" />;
  if (!data) {
    return (
      <Card title={title}>
        <ErrorPanel
          title={t("equipment-detail.tasks.failed")}
          reason={errorText(error)}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      </Card>
    );
  }
  if (next.length === 0) return null;
  return (
    <Card
      title={title}
      actions={
        <Button
          variant="quiet"
          size="small"
          className="no-print -my-1 -mr-2 text-accent"
          onClick={onAll}
        >
          {t("equipment-detail.latest.all")}
          <span className="sr-only">{title}</span>
        </Button>
      }
    >
      <ol aria-label={title} className="ml-1.5 space-y-4 border-l-2 border-line">
        {next.map((task) => (
          <Task key={task.id} task={task} equipment={equipment} today={today} />
        ))}
      </ol>
    </Card>
  );
}

function Task({
  task,
  equipment,
  today,
}: {
  task: ServiceTask;
  equipment: Equipment;
  today: string;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const status = serviceStatusWord(task.status);
  const { distance, date } = useTaskWhen(equipment, today)(task);
  return (
    <li className="relative pl-4">
      <span
        aria-hidden
        className="absolute top-1.5 -left-[0.4rem] size-2.5 rounded-full border-2 border-accent bg-raised"
      />
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-semibold wrap-anywhere">
          {task.fromForm ? t("equipment-detail.tasks.regular") : task.name}
        </span>
        <span className="text-sm whitespace-nowrap">{date}</span>
      </p>
      <p className="text-sm text-muted first-letter:uppercase">{distance}</p>
      {status !== "good" && (
        <p className="mt-1">
          <StatusBadge severity={severityOf(status)}>{labels.badge(status)}</StatusBadge>
        </p>
      )}
    </li>
  );
}
