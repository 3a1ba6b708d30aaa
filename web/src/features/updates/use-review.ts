import { createConnectQueryKey, useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  OperatorUpdatesService,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { toast } from "#/shared/toast/store";

const { listUpdates, applyUpdate, applyUpdates, rejectUpdate, acknowledgeUpdate } =
  OperatorUpdatesService.method;
/** What a decision changes on screen: the lists of updates, and meters, status, history and fuel. */
const touched = [
  createConnectQueryKey({ schema: listUpdates, cardinality: undefined }),
  createConnectQueryKey({ schema: EquipmentService, cardinality: undefined }),
];

/** The server takes at most this many ids at once. */
const bulkLimit = 200;

export type Decision = "done" | "below" | "failed";

/** A manager's decisions. Each row is decided once: until the answer has come, its id is busy. */
export function useReview() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const client = useQueryClient();
  const one = useMutation(applyUpdate);
  const many = useMutation(applyUpdates);
  const refusal = useMutation(rejectUpdate);
  const seen = useMutation(acknowledgeUpdate);
  // The ref closes the gap between a press and the next render; the state draws the buttons.
  const taken = useRef(new Set<string>());
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());

  const refresh = () =>
    Promise.all(touched.map((queryKey) => client.invalidateQueries({ queryKey })));

  async function exclusively<T>(ids: readonly string[], work: () => Promise<T>): Promise<T | null> {
    if (ids.length === 0 || ids.some((id) => taken.current.has(id))) return null;
    for (const id of ids) taken.current.add(id);
    setBusy(new Set(taken.current));
    setProblems((known) => new Map([...known].filter(([id]) => !ids.includes(id))));
    try {
      return await work();
    } finally {
      for (const id of ids) taken.current.delete(id);
      setBusy(new Set(taken.current));
    }
  }

  async function fail(id: string, error: unknown): Promise<void> {
    const reason = errorText(error);
    setProblems((known) => new Map(known).set(id, reason));
    toast.failure(t("updates.toast.failed"), reason);
    // Someone else may have decided it meanwhile; then the row goes.
    if (toFailure(error).status === 409 || toFailure(error).status === 404) await refresh();
  }

  const apply = (update: OperatorUpdate, newUsage?: number): Promise<Decision | null> =>
    exclusively([update.id], async () => {
      try {
        await one.mutateAsync({ id: update.id, ...(newUsage === undefined ? {} : { newUsage }) });
      } catch (error) {
        if (toFailure(error).code === "BELOW_CURRENT") return "below";
        await fail(update.id, error);
        return "failed";
      }
      toast.success(
        t("updates.toast.applied"),
        t("updates.toast.appliedText", {
          name: update.equipmentName,
          operator: update.operatorName,
        }),
      );
      await refresh();
      return "done";
    });

  const applyMany = (ids: readonly string[]) =>
    exclusively(ids, async () => {
      let applied = 0;
      const refused = new Map<string, string>();
      try {
        for (let start = 0; start < ids.length; start += bulkLimit) {
          const part = ids.slice(start, start + bulkLimit);
          const { results } = await many.mutateAsync({ ids: part });
          for (const { id, ok, message } of results) {
            if (ok) applied += 1;
            else refused.set(id, message || t("errors.server"));
          }
        }
        const sum = t("updates.toast.appliedMany", { count: applied });
        if (refused.size === 0) toast.success(sum);
        else {
          const rest = t("updates.toast.notApplied", { count: refused.size });
          toast.failure(t("updates.toast.failed"), applied > 0 ? `${sum}. ${rest}` : rest);
        }
      } catch (error) {
        toast.failure(t("updates.toast.failed"), errorText(error));
        for (const id of ids) refused.set(id, errorText(error));
      }
      setProblems((known) => new Map([...known, ...refused]));
      await refresh();
    });

  const reject = (update: OperatorUpdate, reason: string): Promise<Decision | null> =>
    exclusively([update.id], async () => {
      try {
        await refusal.mutateAsync({ id: update.id, reason });
      } catch (error) {
        await fail(update.id, error);
        return "failed";
      }
      toast.success(
        t("updates.toast.rejected"),
        t("updates.toast.rejectedText", { operator: update.operatorName }),
      );
      await refresh();
      return "done";
    });

  const acknowledge = (update: OperatorUpdate) =>
    exclusively([update.id], async () => {
      try {
        await seen.mutateAsync({ id: update.id });
      } catch (error) {
        await fail(update.id, error);
        return;
      }
      toast.success(t("updates.toast.seen"));
      await refresh();
    });

  return {
    isBusy: (id: string) => busy.has(id),
    problemOf: (id: string) => problems.get(id),
    apply,
    applyMany,
    reject,
    acknowledge,
  };
}

export type Review = ReturnType<typeof useReview>;
