import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Plus, Printer } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { TaskSetMode, type TaskSet } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { PageHeader } from "#/shared/ui/page-header";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { ApplyDialog } from "./apply-dialog";
import { AssignDialog } from "./assign-dialog";
import { DeleteSetDialog } from "./delete-set-dialog";
import { taskSetsQuery } from "./queries";
import { SetCard, type SetAction } from "./set-card";
import { SetDialog } from "./set-dialog";
import type { SetValues } from "./set-schema";
import { useExampleSet } from "./use-example-set";
import { useSetsPrint } from "./use-sets-print";

type Open = { action: "create"; values?: SetValues } | { action: SetAction; set: TaskSet };

export function TaskSetsPage() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useQuery(taskSetsQuery(useTransport()));
  const example = useExampleSet();
  const print = useSetsPrint();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const sets = query.data?.taskSets;
  const create = (
    <Button variant="primary" onClick={() => setOpen({ action: "create" })}>
      <Plus aria-hidden className="size-4" />
      {t("task-sets.create")}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t("shell.titles.taskSets")}
        description={t("task-sets.text")}
        actions={
          sets && sets.length > 0 ? (
            <>
              <Button onClick={() => print(sets)}>
                <Printer aria-hidden className="size-4" />
                {t("equipment-list.print.button")}
              </Button>
              {create}
            </>
          ) : undefined
        }
      />
      {query.error && (
        <ErrorPanel
          title={t("task-sets.failed")}
          reason={errorText(query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.isPending && (
        <div className="rounded-card border border-line bg-raised">
          <SkeletonRows label={t("common.loading")} />
        </div>
      )}
      {sets?.length === 0 && (
        <div className="rounded-card border border-line bg-raised">
          <Empty
            drawing="service"
            title={t("task-sets.empty.title")}
            description={t("task-sets.empty.text")}
            action={
              <>
                {create}
                <Button onClick={() => setOpen({ action: "create", values: example })}>
                  {t("task-sets.empty.example")}
                </Button>
              </>
            }
          />
        </div>
      )}
      {sets && sets.length > 0 && (
        <ul aria-label={t("shell.titles.taskSets")} className="space-y-4">
          {sets.map((set) => (
            <SetCard key={set.id} set={set} onAction={(action) => setOpen({ action, set })} />
          ))}
        </ul>
      )}
      {open?.action === "create" && (
        <SetDialog set={null} values={open.values} onClose={close} onSaved={close} />
      )}
      {open?.action === "edit" && (
        <SetDialog
          set={open.set}
          onClose={close}
          // Machines that have the set are offered the change at once.
          onSaved={(set) =>
            set.outdatedMachines > 0 ? setOpen({ action: "apply", set }) : close()
          }
        />
      )}
      {open?.action === "assign" && <AssignDialog set={open.set} onClose={close} />}
      {open?.action === "apply" && (
        <ApplyDialog set={open.set} mode={TaskSetMode.UPDATE} onClose={close} />
      )}
      {open?.action === "delete" && <DeleteSetDialog set={open.set} onClose={close} />}
    </>
  );
}
