import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { callUnaryMethod, createConnectQueryKey } from "@connectrpc/connect-query";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { sentenceText, useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import type { MeterReplacementSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  type FuelKind,
  ListReviewResponseSchema,
  OperatorUpdatesService,
  UndoableDecision,
  UpdateStatus,
  type ApplyResult,
  type ListReviewResponse,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { loadRefusals } from "#/i18n";
import { checkSession } from "#/session/session";
import { useWriteTransport } from "#/shared/form/use-write";
import { currentToast, toast } from "#/shared/toast/store";
import { isFlagged } from "./flags";
import { refreshDecided } from "./refresh-decided";
import { useDecided, type Decided } from "./use-decided";
import { undoMs, useUndo } from "./use-undo";

/** Values of the manager in place of the reported ones. */
export interface Correction extends FuelCorrection {
  newUsage?: number;
}

export interface FuelCorrection {
  fuelAdded?: number;
  fuelKind?: FuelKind;
}

/** How an update is applied if not as reported. */
export interface Adjustment extends Correction {
  meterReplacement?: MessageInitShape<typeof MeterReplacementSchema>;
}

const { acknowledgeUpdate, applyUpdate, listReview, moveUpdate, rejectUpdate, undoDecision } =
  OperatorUpdatesService.method;

const review = createConnectQueryKey({
  schema: listReview,
  cardinality: "finite",
});
/** Several quick decisions cause one refetch. */
const refreshDelayMs = 400;

/** Removes decided updates from the cached lists after the server's response. */
async function removeFromLists(client: QueryClient, ids: ReadonlySet<string>): Promise<void> {
  // A pending older response would restore it.
  await client.cancelQueries({ queryKey: review });
  client.setQueriesData<ListReviewResponse>({ queryKey: review }, (last) => {
    if (!last) return last;
    const removed = last.updates.filter((update) => ids.has(update.id));
    return create(ListReviewResponseSchema, {
      updates: last.updates.filter((update) => !ids.has(update.id)),
      pendingCount: Math.max(0, last.pendingCount - removed.length),
      flaggedCount: Math.max(0, last.flaggedCount - removed.filter(isFlagged).length),
    });
  });
}

/** The outcome of a bulk decision. */
export interface Outcome {
  done: readonly string[];
  refused: number;
  /** Not sent, because a decision about them is in progress. */
  busy: number;
  /** Sent without a response. */
  unknown: number;
}

/** Whether the request may have succeeded without a response. */
function isUnknown(error: unknown): boolean {
  const { status } = toFailure(error);
  return status === 0 || status === 504;
}

/** A manager's decisions. An id is busy until the response, so each row is decided once. */
export function useDecisions() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const client = useQueryClient();
  const transport = useWriteTransport();
  const { busy, isFree, runExclusive } = useBusy();
  const undo = useUndo();
  const decided = useDecided();
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [below, setBelow] = useState<ReadonlySet<string>>(new Set());
  const refreshSoon = useRefreshSoon(client);

  const setProblem = (found: ReadonlyMap<string, string>, tried: readonly string[]) =>
    setProblems((last) => new Map([...[...last].filter(([id]) => !tried.includes(id)), ...found]));

  async function fail(id: string, error: unknown): Promise<false> {
    const { status, code } = toFailure(error);
    const isBelow = code === "BELOW_CURRENT";
    const reason = isBelow ? t("review.entry.nowBelow") : errorText(error);
    if (isBelow) setBelow((last) => new Set([...last, id]));
    setProblem(new Map([[id, reason]]), [id]);
    if (status === 401) checkSession(client);
    if (status === 409 || status === 404 || isUnknown(error)) {
      // Someone else may have decided it; then the row is removed together with the reason.
      if (!isBelow) toast.failure(t("review.toast.failed"), reason);
      refreshSoon();
    }
    return false;
  }

  /** Returns whether it succeeded. */
  async function decide(
    { id }: OperatorUpdate,
    call: () => Promise<{ update?: OperatorUpdate | undefined }>,
    done: (now: OperatorUpdate | undefined, undoUntil: number) => void,
  ): Promise<boolean> {
    const undoUntil = Date.now() + undoMs;
    const succeeded = await runExclusive([id], async () => {
      setProblem(new Map(), [id]);
      // The result of an earlier decision; an offer to undo it stays.
      if (!currentToast()?.action) toast.dismiss();
      try {
        const { update: now } = await call();
        if (now?.status !== UpdateStatus.PENDING) await removeFromLists(client, new Set([id]));
        done(now, undoUntil);
        refreshSoon();
        return true;
      } catch (error) {
        return fail(id, error);
      }
    });
    return succeeded ?? false;
  }

  /** Moves an update back to the machine that it was reported for, where it waits. */
  async function moveBack({ id, equipmentId }: OperatorUpdate): Promise<boolean> {
    try {
      await callUnaryMethod(transport, moveUpdate, { id, equipmentId, wait: true });
      return true;
    } catch (error) {
      toast.failure(t("review.undo.failed", { count: 1 }), errorText(error));
      return false;
    } finally {
      await refreshDecided(client);
    }
  }

  const applied = (update: OperatorUpdate, now: OperatorUpdate | undefined, undoUntil: number) =>
    decided.add({ update, now, decision: UndoableDecision.APPLICATION, undoUntil });

  return {
    refresh: refreshSoon,
    undo,
    /** Rows decided on this page that are still shown. */
    decided: decided.rows,
    /** Undoes the decision of a row that is still shown. */
    undoDecided: ({ update, now, decision }: Decided) =>
      runExclusive([update.id], async () => {
        decided.stay();
        const isMoved = now && now.equipmentId !== update.equipmentId;
        const isUndone =
          (await undo.undo([update.id], decision, { quiet: true })) &&
          (!isMoved || (await moveBack(update)));
        if (isUndone) decided.remove(update.id);
        return isUndone;
      }),
    isBusy: (id: string) => busy.has(id),
    problemOf: (id: string) => problems.get(id),
    /** A reading below the meter needs a value from the manager. */
    isBelow: (update: OperatorUpdate) => update.belowCurrent || below.has(update.id),

    apply: (update: OperatorUpdate, adjustment: Adjustment = {}) =>
      decide(
        update,
        () => callUnaryMethod(transport, applyUpdate, { id: update.id, ...adjustment }),
        (now, undoUntil) => applied(update, now, undoUntil),
      ),

    move: (update: OperatorUpdate, target: { equipmentId: string; name: string }) =>
      decide(
        update,
        () =>
          callUnaryMethod(transport, moveUpdate, {
            id: update.id,
            equipmentId: target.equipmentId,
          }),
        (now, undoUntil) => {
          if (now?.status === UpdateStatus.APPLIED) return applied(update, now, undoUntil);
          toast.success(
            t("review.toast.moved"),
            t("review.toast.movedText", { name: target.name }),
            {
              label: t("review.undo.action"),
              run: () => void runExclusive([update.id], () => moveBack(update)),
            },
          );
        },
      ),

    reject: (update: OperatorUpdate, reason: string) =>
      decide(
        update,
        () => callUnaryMethod(transport, rejectUpdate, { id: update.id, reason }),
        (now, undoUntil) =>
          decided.add({ update, now, decision: UndoableDecision.REJECTION, undoUntil }),
      ),

    acknowledge: (update: OperatorUpdate) =>
      decide(
        update,
        () => callUnaryMethod(transport, acknowledgeUpdate, { id: update.id }),
        () =>
          toast.success(
            t("review.toast.seen"),
            undefined,
            undo.action([update.id], UndoableDecision.ACKNOWLEDGEMENT),
          ),
      ),

    /** Voids the entry of an automatically applied update. */
    takeBack: (update: OperatorUpdate, reason: string) =>
      decide(
        update,
        () =>
          callUnaryMethod(transport, undoDecision, {
            id: update.id,
            decision: UndoableDecision.AUTOMATIC_APPLICATION,
            reason,
          }),
        () =>
          toast.success(
            t("review.toast.takenBack"),
            t("review.toast.takenBackText", { operator: update.operatorName }),
          ),
      ),

    /** One bulk request without busy ids; refused rows show their reason. */
    many: async (
      wanted: readonly string[],
      call: (ids: string[]) => Promise<{ results: ApplyResult[] }>,
    ): Promise<Outcome> => {
      const ids = wanted.filter(isFree);
      const nothing: Outcome = {
        done: [],
        refused: 0,
        busy: wanted.length - ids.length,
        unknown: 0,
      };
      const outcome = await runExclusive(ids, async () => {
        try {
          const { results } = await call(ids);
          const done = new Set(results.filter(({ ok }) => ok).map(({ id }) => id));
          const refused = results.filter(({ ok }) => !ok);
          if (refused.length > 0) await loadRefusals();
          const reason = ({ code, parameters: params }: ApplyResult) =>
            sentenceText(t, { code, params, text: null }) ?? t("errors.server");
          setProblem(new Map(refused.map((result) => [result.id, reason(result)])), ids);
          await removeFromLists(client, done);
          return { ...nothing, done: [...done], refused: refused.length };
        } catch (error) {
          if (isUnknown(error)) {
            setProblem(new Map(), ids);
            return { ...nothing, unknown: ids.length };
          }
          if (toFailure(error).status === 401) checkSession(client);
          const reason = errorText(error);
          setProblem(new Map(ids.map((id) => [id, reason])), ids);
          return { ...nothing, refused: ids.length };
        } finally {
          refreshSoon();
        }
      });
      return outcome ?? nothing;
    },
  };
}

export type Decisions = ReturnType<typeof useDecisions>;

/** The ids with a decision in progress; prevents concurrent decisions about one update. */
function useBusy() {
  // The ref covers the time between a press and the next render; the state updates the buttons.
  const locked = useRef(new Set<string>());
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const isFree = (id: string) => !locked.current.has(id);
  async function runExclusive<T>(
    ids: readonly string[],
    work: () => Promise<T>,
  ): Promise<T | null> {
    if (ids.length === 0 || !ids.every(isFree)) return null;
    // A bulk decision reports progress in the toolbar, so its rows don't need to render for it.
    const shown = ids.length === 1;
    for (const id of ids) locked.current.add(id);
    if (shown) setBusy((last) => new Set([...last, ...ids]));
    try {
      return await work();
    } finally {
      for (const id of ids) locked.current.delete(id);
      if (shown) setBusy((last) => new Set([...last].filter((id) => !ids.includes(id))));
    }
  }
  return { busy, isFree, runExclusive };
}

function useRefreshSoon(client: QueryClient): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Leaving the page must not skip the refetch.
  useEffect(
    () => () => {
      if (timer.current === undefined) return;
      clearTimeout(timer.current);
      void refreshDecided(client);
    },
    [client],
  );
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void refreshDecided(client);
    }, refreshDelayMs);
  };
}
