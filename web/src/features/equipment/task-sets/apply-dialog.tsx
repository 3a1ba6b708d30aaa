import type { TFunction } from "i18next";
import { useTransport } from "@connectrpc/connect-query";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import type { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  TaskSetChangeKind,
  TaskSetMode,
  TaskSetStart,
  type TaskSetResult,
} from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { CheckboxInput } from "#/shared/form/inputs/checkbox-input";
import { useWriteTransport } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Notice } from "#/shared/ui/notice";
import { Segmented } from "#/shared/ui/segmented";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { useUndoChanges } from "../dialogs/use-undo-changes";
import { useRefreshEquipment } from "../queries";
import { changesMachine, ResultList, type LookalikeChoice } from "./result-list";
import { applySet, previewQuery, taskSetsQuery, type AppliedSet, type SetChoices } from "./queries";
import { undoAssignment } from "./undo-assignment";

/** Shows what a set would change on each machine, and applies it. */
export function ApplyDialog({
  set,
  mode,
  equipmentIds,
  onClose,
  onDone = onClose,
}: {
  set: AppliedSet & { unit: MeterUnit };
  mode: TaskSetMode;
  /** Without ids: all machines that have the set. */
  equipmentIds?: readonly string[];
  onClose: () => void;
  /** Called when all machines were changed; by default it closes. */
  onDone?: (() => void) | undefined;
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
  const { apply, pending, error, failed } = useApply(set, mode, onDone);
  const count = targets.length;
  // A reset adds all tasks of the set.
  const { similar, skips, isAdded, choose } = useLookalikes(
    mode === TaskSetMode.UPDATE ? targets : [],
  );
  const [sinceService, setSinceService] = useState(false);
  const adds = targets.some(({ changes }) =>
    changes.some(({ kind }) => kind === TaskSetChangeKind.ADDED),
  );
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
              onClick={() =>
                void apply(
                  targets.map((result) => result.equipmentId),
                  { skips, start: sinceService ? TaskSetStart.LAST_SERVICE : TaskSetStart.NOW },
                )
              }
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
          {mode === TaskSetMode.UPDATE && (
            <Totals results={results} ids={equipmentIds} isAdded={isAdded} />
          )}
          {adds && <StartChoice sinceService={sinceService} onChange={setSinceService} />}
          {similar.length > 0 && (
            <div className="mb-3">
              <p>{t("task-sets.lookalike.some", { count: similar.length })}</p>
              {similar.length > 1 && (
                <CheckboxInput
                  label={t("task-sets.lookalike.all", { count: similar.length })}
                  checked={skips.length === 0}
                  onChange={(event) => choose(similar, event.target.checked)}
                />
              )}
            </div>
          )}
          <ResultList
            results={refusedFirst(results, mode)}
            unit={set.unit}
            {...(mode === TaskSetMode.UPDATE && {
              lookalikes: {
                isAdded,
                onChange: (equipmentId, itemId, on) => choose([{ equipmentId, itemId }], on),
              },
            })}
          />
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

/** The tasks that look like one of the machine; they are skipped unless a person adds them. */
function useLookalikes(results: readonly TaskSetResult[]) {
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set());
  const similar = results.flatMap(({ equipmentId, changes }) =>
    changes.flatMap(({ after, lookalike }) =>
      after && lookalike ? { equipmentId, itemId: after.id } : [],
    ),
  );
  const isAdded = (equipmentId: string, itemId: string) => added.has(`${equipmentId} ${itemId}`);
  return {
    similar,
    isAdded,
    skips: similar.filter(({ equipmentId, itemId }) => !isAdded(equipmentId, itemId)),
    choose: (tasks: typeof similar, on: boolean) => {
      const next = new Set(added);
      for (const { equipmentId, itemId } of tasks) {
        if (on) next.add(`${equipmentId} ${itemId}`);
        else next.delete(`${equipmentId} ${itemId}`);
      }
      setAdded(next);
    },
  };
}

function StartChoice({
  sinceService,
  onChange,
}: {
  sinceService: boolean;
  onChange: (sinceService: boolean) => void;
}) {
  const { t } = useTranslation();
  return (
    <div className="mb-4">
      <Segmented
        label={t("task-sets.start.label")}
        compact
        value={sinceService ? "service" : "now"}
        options={[
          { value: "now", label: t("task-sets.start.now") },
          { value: "service", label: t("task-sets.start.lastService") },
        ]}
        onChange={(next) => onChange(next === "service")}
      />
      {sinceService && <p className="mt-1 text-sm text-muted">{t("task-sets.start.hint")}</p>}
    </div>
  );
}

/** How many machines change, only get the set, cannot have it, or no longer exist. */
function Totals({
  results,
  ids,
  isAdded,
}: {
  results: readonly TaskSetResult[];
  isAdded: LookalikeChoice["isAdded"];
  /** The chosen machines. */
  ids: readonly string[] | undefined;
}) {
  const { t } = useTranslation();
  const changing = results.filter((result) => changesMachine(result, isAdded)).length;
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

/**
 * Refused machines, then those that change; by name. An update skips lookalikes here even if they are
 * ticked, so that a tick does not move its row.
 */
function refusedFirst(results: readonly TaskSetResult[], mode: TaskSetMode): TaskSetResult[] {
  const isAdded = () => mode !== TaskSetMode.UPDATE;
  const rank = (result: TaskSetResult) =>
    !result.ok ? 0 : changesMachine(result, isAdded) ? 1 : 2;
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

function useApply(opened: AppliedSet, mode: TaskSetMode, onDone: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const reader = useTransport();
  const [set, setSet] = useState(opened);
  const transport = useWriteTransport();
  const refresh = useRefreshEquipment();
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [failed, setFailed] = useState<readonly TaskSetResult[] | null>(null);
  const undoAction = useUndoChanges();
  async function apply(ids: readonly string[], choices: SetChoices) {
    if (pending) return;
    setPending(true);
    setError(null);
    const results: TaskSetResult[] = [];
    try {
      await applySet(transport, set, ids, mode, choices, (part) => results.push(...part));
      const refused = results.filter((result) => !result.ok);
      const count = results.length - refused.length;
      if (count > 0 && mode === TaskSetMode.UPDATE) {
        const undo = undoAssignment(set.id, results);
        const action = undo ? undoAction([undo]) : undefined;
        toast.success(t("task-sets.apply.used", { count }), set.name, action);
      } else if (count > 0) {
        toast.success(t("task-sets.apply.done"), t("task-sets.apply.doneText", { count }));
      }
      if (refused.length > 0) setFailed(refused);
      else onDone();
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
