import { createClient } from "@connectrpc/connect";
import { useTransport } from "@connectrpc/connect-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { toast } from "#/shared/toast/store";
import { most } from "../queries";
import type { Decisions } from "../use-decisions";
import { unflaggedIds } from "./machines";

/** Five hundred take their time on a slow line; giving up on them early would only hide the outcome. */
const timeoutMs = 60_000;

interface Progress {
  done: number;
  total: number;
}

export interface Summary {
  applied: number;
  refused: number;
  /** What was asked for and could not be reached. */
  rest: number;
}

/** Many at once, 500 a request, with how far it has come and what became of them. */
export function useApplyMany(decisions: Decisions) {
  const { t } = useTranslation();
  const transport = useTransport();
  const running = useRef(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [summary, setSummary] = useState<Summary | null>(null);

  async function run(ids: readonly string[], total: number): Promise<void> {
    if (running.current || ids.length === 0) return;
    running.current = true;
    setSummary(null);
    const tried = new Set<string>();
    const sum = { applied: 0, refused: 0 };
    let next: readonly string[] = ids;
    try {
      while (next.length > 0 && tried.size < total) {
        const part = next.slice(0, Math.min(most, total - tried.size));
        setProgress({ done: tried.size, total });
        const { done, refused } = await decisions.many(part, (service, chunk) =>
          service.applyUpdates({ ids: chunk }, { timeoutMs }),
        );
        for (const id of part) tried.add(id);
        sum.applied += done;
        sum.refused += refused;
        // Without a single success the next chunk would fare no better.
        if (done === 0) break;
        next = next.slice(part.length);
        if (next.length === 0 && tried.size < total) next = await more(tried);
      }
    } finally {
      running.current = false;
      setProgress(null);
    }
    tell({ ...sum, rest: Math.max(0, total - tried.size) });
  }

  /** What waits beyond those on screen. */
  async function more(tried: ReadonlySet<string>): Promise<string[]> {
    try {
      const { updates } = await createClient(OperatorUpdatesService, transport).listReview({
        limit: most,
      });
      return unflaggedIds(updates).filter((id) => !tried.has(id));
    } catch {
      return [];
    }
  }

  function tell(outcome: Summary): void {
    const sum = t("review.summary.applied", { count: outcome.applied });
    if (outcome.refused + outcome.rest === 0) {
      return toast.success(sum, t("review.summary.undo"));
    }
    setSummary(outcome);
    const left = outcome.refused > 0 && t("review.summary.left", { count: outcome.refused });
    const rest = outcome.rest > 0 && t("review.summary.rest", { total: outcome.rest });
    const parts = [outcome.applied > 0 && `${sum}.`, left, rest].filter(Boolean);
    toast.failure(t("updates.toast.failed"), parts.join(" "));
  }

  return { run, progress, summary, dismiss: () => setSummary(null) };
}

export type ApplyMany = ReturnType<typeof useApplyMany>;
