import type { TFunction } from "i18next";
import { useTransport } from "@connectrpc/connect-query";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
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
import { applySet, previewQuery, taskSetsQuery, type AppliedSet } from "./queries";

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
  // Also machines whose tasks do not change: they get the set, or its last version.
  const targets = results?.filter(({ ok }) => ok) ?? [];
  const { apply, pending, error, failed } = useApply(set, mode, onClose);
  const count = targets.length;
  // After a refused apply, the list still shows the set's former version until it is read again.
  const disabledReason = () => {
    if (preview.isFetching) return t("common.loading");
    if (preview.error) return t("task-sets.apply.previewFailed");
    return count === 0 ? t("task-sets.apply.nothing") : undefined;
  };
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
              disabledReason={disabledReason()}
              onClick={() => void apply(targets.map((result) => result.equipmentId))}
            >
              {mode === TaskSetMode.UPDATE
                ? t("task-sets.apply.use", { count })
                : t("task-sets.apply.submit", { count })}
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
      {!failed && results && (
        <>
          {mode === TaskSetMode.UPDATE && <Totals results={results} ids={equipmentIds} />}
          <ResultList results={refusedFirst(results)} unit={set.unit} />
        </>
      )}
      {failed && (
        <div role="alert" className="space-y-3">
          <p className="font-semibold">{t("task-sets.apply.failed", { count: failed.length })}</p>
          <ResultList results={failed} unit={set.unit} />
        </div>
      )}
      {error !== null && (
        <div className="mt-4">
          <Notice tone="danger">
            {error === "changed" ? t("task-sets.apply.changedMeanwhile") : errorText(error)}
          </Notice>
        </div>
      )}
    </Dialog>
  );
}

/** How many machines change, only get the set, cannot have it, or no longer exist. */
function Totals({
  results,
  ids,
}: {
  results: readonly TaskSetResult[];
  /** The chosen machines. */
  ids: readonly string[] | undefined;
}) {
  const { t } = useTranslation();
  const changing = results.filter(changesMachine).length;
  const refused = results.filter(({ ok }) => !ok).length;
  const unchanged = results.length - changing - refused;
  const gone = ids ? ids.length - results.length : 0;
  if (ids?.length === 1 && gone === 0) return null;
  const sentences = [
    changing > 0 && t("task-sets.apply.changing", { count: changing }),
    unchanged > 0 && t("task-sets.apply.unchanged", { count: unchanged }),
    refused > 0 && t("task-sets.apply.refused", { count: refused }),
    gone > 0 && t("task-sets.apply.gone", { count: gone }),
  ].filter((sentence) => sentence !== false);
  if (sentences.length === 0) return null;
  return (
    <div className="mb-4 rounded-(--control-radius) bg-sunken px-3.5 py-2.5">
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );
}

/** Refused machines, then those that change; by name. */
function refusedFirst(results: readonly TaskSetResult[]): TaskSetResult[] {
  const rank = (result: TaskSetResult) => (!result.ok ? 0 : changesMachine(result) ? 1 : 2);
  return results.toSorted((one, other) => rank(one) - rank(other));
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

function useApply(opened: AppliedSet, mode: TaskSetMode, onClose: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const reader = useTransport();
  const [set, setSet] = useState(opened);
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
      if (count > 0 && mode === TaskSetMode.UPDATE) {
        toast.success(t("task-sets.apply.used", { count }), set.name);
      } else if (count > 0) {
        toast.success(t("task-sets.apply.done"), t("task-sets.apply.doneText", { count }));
      }
      if (refused.length > 0) setFailed(refused);
      else onClose();
    } catch (caught) {
      setError(caught);
      if (toFailure(caught).code !== "STALE") return;
      // The refreshed preview is that of the new version.
      const found = await client.fetchQuery(taskSetsQuery(reader)).catch(() => null);
      const now = found?.taskSets.find(({ id }) => id === set.id);
      if (now) {
        setSet(now);
        setError("changed");
      }
    } finally {
      setPending(false);
      void refresh();
    }
  }
  return { apply, pending, error, failed };
}
