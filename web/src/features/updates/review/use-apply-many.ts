import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  OperatorUpdatesService,
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { toast } from "#/shared/toast/store";
import { maxPerRequest, useBulkTransport } from "../queries";
import type { Decisions, Outcome } from "../use-decisions";
import { inOrder, unflaggedIds } from "./machines";

const { applyUpdates, listReview, listUpdates } = OperatorUpdatesService.method;

interface Progress {
  done: number;
  total: number;
}

export interface Summary {
  applied: number;
  refused: number;
  /** A decision about them was already in progress. */
  busy: number;
  /** Sent without a response. */
  unknown: number;
  /** Updates that were not sent because an earlier request failed. */
  rest: number;
}

/** Applies many updates, 500 per request, with progress and outcome. */
export function useApplyMany(decisions: Decisions) {
  const transport = useTransport();
  const bulkTransport = useBulkTransport();
  const running = useRef(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [summary, setSummary] = useState<Summary | null>(null);
  const reportOutcome = useReportOutcome();

  /** Applies `ids`, then all other unflagged updates. Returns whether it started. */
  async function run(ids: readonly string[], total: number): Promise<boolean> {
    if (running.current || total === 0) return false;
    running.current = true;
    setSummary(null);
    setProgress({ done: 0, total });
    const tried = new Set<string>();
    const sum = { done: 0, refused: 0, busy: 0, unknown: 0 };
    try {
      let next = ids.length > 0 ? ids : await more(tried);
      while (next.length > 0 && tried.size < total) {
        const part = next.slice(0, Math.min(maxPerRequest, total - tried.size));
        setProgress({ done: tried.size, total });
        const outcome = await decisions.many(part, (chunk) =>
          callUnaryMethod(bulkTransport, applyUpdates, { ids: chunk }),
        );
        for (const id of part) tried.add(id);
        add(sum, outcome);
        // Without a single success, the next chunk would fail too.
        if (outcome.done === 0 && outcome.busy < part.length) break;
        next = next.slice(part.length);
        if (next.length === 0 && tried.size < total) next = await more(tried);
      }
    } finally {
      running.current = false;
      setProgress(null);
    }
    const { done: applied, ...others } = sum;
    const outcome = { ...others, applied, rest: Math.max(0, total - tried.size) };
    setSummary(reportOutcome(outcome) ? null : outcome);
    return applied + outcome.refused > 0;
  }

  /** Unflagged updates beyond those on screen. */
  async function more(tried: ReadonlySet<string>): Promise<string[]> {
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

  return { run, progress, summary, dismiss: () => setSummary(null) };
}

function add(sum: Outcome, outcome: Outcome): void {
  sum.done += outcome.done;
  sum.refused += outcome.refused;
  sum.busy += outcome.busy;
  sum.unknown += outcome.unknown;
}

/**
 * Shows a toast with the outcome. Returns true if everything succeeded and no summary is needed.
 */
function useReportOutcome(): (outcome: Summary) => boolean {
  const { t } = useTranslation();
  return ({ applied, refused, busy, unknown, rest }) => {
    const sum = t("review.summary.applied", { count: applied });
    if (applied > 0 && refused + unknown + rest === 0) {
      toast.success(sum, t("review.summary.undo"));
      return true;
    }
    const parts = [
      applied > 0 && `${sum}.`,
      refused > 0 && t("review.summary.left", { count: refused }),
      unknown > 0 && t("review.summary.unknown", { count: unknown }),
      rest > 0 && t("review.summary.rest", { total: rest }),
    ].filter(Boolean);
    const nothing = busy > 0 && parts.length === 0;
    toast.failure(t("review.toast.failed"), nothing ? t("review.summary.busy") : parts.join(" "));
    return nothing;
  };
}

export type ApplyMany = ReturnType<typeof useApplyMany>;
