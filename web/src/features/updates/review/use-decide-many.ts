import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  OperatorUpdatesService,
  UndoableDecision,
  UpdateStatus,
  type ApplyResult,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { toast } from "#/shared/toast/store";
import { maxPerRequest, useBulkTransport } from "../queries";
import type { Decisions } from "../use-decisions";
import { inOrder, unflaggedIds } from "./machines";

const { applyUpdates, listReview, listUpdates, rejectUpdates } = OperatorUpdatesService.method;

export type BulkKind = "apply" | "reject";

/** What an undo of a bulk decision names. */
export const undoable = {
  apply: UndoableDecision.APPLICATION,
  reject: UndoableDecision.REJECTION,
} as const satisfies Record<BulkKind, UndoableDecision>;

interface Progress {
  kind: BulkKind;
  done: number;
  total: number;
}

export interface Summary {
  kind: BulkKind;
  done: readonly string[];
  refused: number;
  /** A decision about them was already in progress. */
  busy: number;
  /** Sent without a response. */
  unknown: number;
  /** Updates that were not sent because an earlier request failed. */
  rest: number;
  /** Before the first decision; in milliseconds. */
  startedAt: number;
}

type Call = (ids: string[]) => Promise<{ results: ApplyResult[] }>;

/** Applies or rejects many updates, 500 per request, with progress and outcome. */
export function useDecideMany(decisions: Decisions) {
  const transport = useTransport();
  const bulkTransport = useBulkTransport();
  const running = useRef(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [summary, setSummary] = useState<Summary | null>(null);
  const reportOutcome = useReportOutcome(decisions);

  /** Decides `ids`, then those that `more` finds. Returns null if it did not start. */
  async function run(
    kind: BulkKind,
    total: number,
    ids: readonly string[],
    call: Call,
    more: (tried: ReadonlySet<string>) => Promise<string[]> = () => Promise.resolve([]),
  ): Promise<Summary | null> {
    if (running.current || total === 0) return null;
    running.current = true;
    const startedAt = Date.now();
    setSummary(null);
    setProgress({ kind, done: 0, total });
    const tried = new Set<string>();
    const done: string[] = [];
    const sum = { refused: 0, busy: 0, unknown: 0 };
    try {
      let next = ids.length > 0 ? ids : await more(tried);
      while (next.length > 0 && tried.size < total) {
        const part = next.slice(0, Math.min(maxPerRequest, total - tried.size));
        setProgress({ kind, done: tried.size, total });
        const outcome = await decisions.many(part, call);
        for (const id of part) tried.add(id);
        done.push(...outcome.done);
        sum.refused += outcome.refused;
        sum.busy += outcome.busy;
        sum.unknown += outcome.unknown;
        // Without a single success, the next chunk would fail too.
        if (outcome.done.length === 0 && outcome.busy < part.length) break;
        next = next.slice(part.length);
        if (next.length === 0 && tried.size < total) next = await more(tried);
      }
    } finally {
      running.current = false;
      setProgress(null);
    }
    const rest = Math.max(0, total - tried.size);
    const outcome: Summary = { ...sum, kind, done, rest, startedAt };
    setSummary(reportOutcome(outcome) ? null : outcome);
    return outcome;
  }

  /** Unflagged updates beyond those on screen. */
  async function moreUnflagged(tried: ReadonlySet<string>): Promise<string[]> {
    const fresh = (updates: readonly OperatorUpdate[]) =>
      unflaggedIds(updates).filter((id) => !tried.has(id));
    try {
      const first = fresh(
        (await callUnaryMethod(transport, listReview, { limit: maxPerRequest })).updates,
      );
      if (first.length > 0) return first;
      // Flagged updates may fill that response; the plain list includes all.
      const all: OperatorUpdate[] = [];
      let cursor = "";
      do {
        const { updates, page } = await callUnaryMethod(transport, listUpdates, {
          statuses: [UpdateStatus.PENDING],
          page: { limit: maxPerRequest, cursor },
        });
        all.push(...updates);
        cursor = page?.nextCursor ?? "";
      } while (cursor !== "");
      return fresh(inOrder(all));
    } catch {
      return [];
    }
  }

  const apply: Call = (ids) => callUnaryMethod(bulkTransport, applyUpdates, { ids });
  return {
    apply: (ids: readonly string[]) => run("apply", ids.length, ids, apply),
    /** Applies `ids`, then all other unflagged updates. */
    applyUnflagged: (ids: readonly string[], total: number) =>
      run("apply", total, ids, apply, moreUnflagged),
    reject: (ids: readonly string[], reason: string) =>
      run("reject", ids.length, ids, (part) =>
        callUnaryMethod(bulkTransport, rejectUpdates, { ids: part, reason }),
      ),
    progress,
    summary,
    dismiss: () => setSummary(null),
  };
}

/** The sentences about an outcome. */
export function useSummaryTexts() {
  const { t } = useTranslation();
  return ({ kind, done, refused, unknown, rest }: Summary) => {
    const count = done.length;
    const applied = kind === "apply";
    return {
      done: applied
        ? t("review.summary.applied", { count })
        : t("review.summary.rejected", { count }),
      problems: [
        refused > 0 &&
          (applied
            ? t("review.summary.left", { count: refused })
            : t("review.summary.notRejected", { count: refused })),
        unknown > 0 && t("review.summary.unknown", { count: unknown }),
        rest > 0 && t("review.summary.rest", { total: rest }),
      ].filter((part) => part !== false),
    };
  };
}

/**
 * Shows a toast with the outcome. Returns true if everything succeeded and no summary is needed.
 */
function useReportOutcome(decisions: Decisions): (outcome: Summary) => boolean {
  const { t } = useTranslation();
  const texts = useSummaryTexts();
  return (outcome) => {
    const { done, problems } = texts(outcome);
    if (outcome.done.length > 0 && problems.length === 0) {
      const undo = decisions.undo.action(outcome.done, undoable[outcome.kind]);
      toast.success(done, undefined, undo);
      return true;
    }
    const nothing = outcome.busy > 0 && outcome.done.length + problems.length === 0;
    const parts = outcome.done.length > 0 ? [`${done}.`, ...problems] : problems;
    toast.failure(t("review.toast.failed"), nothing ? t("review.summary.busy") : parts.join(" "));
    return nothing;
  };
}

export type DecideMany = ReturnType<typeof useDecideMany>;
