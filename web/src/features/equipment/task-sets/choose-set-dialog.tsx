import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { TaskSetMode, type TaskSet } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { ApplyDialog } from "./apply-dialog";
import { taskSetsQuery } from "./queries";

/** Chooses the set that these machines get. */
export function ChooseSetDialog({
  equipmentIds,
  onClose,
  onDone,
}: {
  equipmentIds: readonly string[];
  onClose: () => void;
  /** Called when all machines have it; by default it closes. */
  onDone?: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useQuery(taskSetsQuery(useTransport()));
  const [chosen, setChosen] = useState<TaskSet | null>(null);
  if (chosen) {
    return (
      <ApplyDialog
        set={chosen}
        mode={TaskSetMode.UPDATE}
        equipmentIds={equipmentIds}
        onClose={onClose}
        onDone={onDone}
      />
    );
  }
  const sets = query.data?.taskSets;
  return (
    <Dialog open onOpenChange={onClose} title={t("task-sets.choose.title")}>
      {query.isPending && <SkeletonRows rows={3} label={t("common.loading")} />}
      {query.error && (
        <ErrorPanel
          title={t("task-sets.failed")}
          reason={errorText(query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {sets?.length === 0 && (
        <Empty
          title={t("task-sets.empty.title")}
          description={t("task-sets.empty.text")}
          action={
            <Button asChild variant="primary">
              <Link to="/task-sets">{t("task-sets.create")}</Link>
            </Button>
          }
        />
      )}
      {sets && sets.length > 0 && (
        <ul className="space-y-2">
          {sets.map((set) => (
            <li key={set.id}>
              <button
                type="button"
                onClick={() => setChosen(set)}
                className="min-h-11 w-full rounded-(--control-radius) border border-control-line px-4 py-2.5 text-left hover:bg-sunken"
              >
                <span className="block font-semibold wrap-anywhere">{set.name}</span>
                <span className="block text-sm text-muted wrap-anywhere">
                  {set.items.map((item) => item.name).join(", ")}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
