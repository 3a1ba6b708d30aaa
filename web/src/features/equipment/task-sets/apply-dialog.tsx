import type { TFunction } from "i18next";
import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { TaskSetMode, type TaskSetResult } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { useWriteTransport } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Notice } from "#/shared/ui/notice";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { useRefreshEquipment } from "../queries";
import { changesMachine, ResultList } from "./result-list";
import { applySet, previewQuery, type AppliedSet } from "./queries";

/** Shows what a set would change on each machine, and applies it. */
export function ApplyDialog({
  set,
  mode,
  equipmentIds,
  onClose,
}: {
  set: AppliedSet & { unit: MeterUnit };
  mode: TaskSetMode;
  /** Without ids: all machines that have the set. */
  equipmentIds?: readonly string[];
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const choice = {
    taskSetId: set.id,
    mode,
    ...(equipmentIds ? { equipmentIds } : {}),
  };
  const preview = useQuery({ ...previewQuery(useTransport(), choice), staleTime: Infinity });
  const results = preview.data?.results;
  const changing = results?.filter(changesMachine) ?? [];
  const { apply, pending, error, failed } = useApply(set, mode, onClose);
  const count = changing.length;
  return (
    <Dialog
      open
      onOpenChange={pending ? () => undefined : onClose}
      title={titleOf(t, mode, set.name)}
      description={mode === TaskSetMode.UPDATE ? t("task-sets.apply.text") : undefined}
      footer={
        <>
          <Button onClick={onClose}>{failed ? t("common.close") : t("common.cancel")}</Button>
          {!failed && (
            <Button
              variant={mode === TaskSetMode.REMOVE ? "danger" : "primary"}
              pending={pending}
              pendingLabel={t("task-sets.apply.pending")}
              disabledReason={count === 0 ? t("task-sets.apply.nothing") : undefined}
              onClick={() => void apply(changing.map((result) => result.equipmentId))}
            >
              {t("task-sets.apply.submit", { count })}
            </Button>
          )}
        </>
      }
    >
      {preview.isPending && <SkeletonRows rows={3} label={t("common.loading")} />}
      {preview.error && (
        <ErrorPanel
          title={t("task-sets.apply.previewFailed")}
          reason={errorText(preview.error)}
          onRetry={() => void preview.refetch()}
          retrying={preview.isFetching}
        />
      )}
      {!failed && results && <ResultList results={results} unit={set.unit} />}
      {failed && (
        <div role="alert" className="space-y-3">
          <p className="font-semibold">{t("task-sets.apply.failed", { count: failed.length })}</p>
          <ResultList results={failed} unit={set.unit} />
        </div>
      )}
      {error !== null && (
        <div className="mt-4">
          <Notice tone="danger">{errorText(error)}</Notice>
        </div>
      )}
    </Dialog>
  );
}

function titleOf(t: TFunction, mode: TaskSetMode, name: string): string {
  switch (mode) {
    case TaskSetMode.RESET:
      return t("task-sets.apply.resetTitle", { name });
    case TaskSetMode.REMOVE:
      return t("task-sets.apply.removeTitle", { name });
    case TaskSetMode.UPDATE:
    default:
      return t("task-sets.apply.title", { name });
  }
}

function useApply(set: AppliedSet, mode: TaskSetMode, onClose: () => void) {
  const { t } = useTranslation();
  const transport = useWriteTransport();
  const refresh = useRefreshEquipment();
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [failed, setFailed] = useState<readonly TaskSetResult[] | null>(null);
  async function apply(ids: readonly string[]) {
    if (pending) return;
    setPending(true);
    setError(null);
    const results: TaskSetResult[] = [];
    try {
      await applySet(transport, set, ids, mode, (part) => results.push(...part));
      const refused = results.filter((result) => !result.ok);
      const count = results.length - refused.length;
      if (count > 0)
        toast.success(t("task-sets.apply.done"), t("task-sets.apply.doneText", { count }));
      if (refused.length > 0) setFailed(refused);
      else onClose();
    } catch (caught) {
      setError(caught);
    } finally {
      setPending(false);
      void refresh();
    }
  }
  return { apply, pending, error, failed };
}
