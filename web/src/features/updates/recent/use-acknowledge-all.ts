import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  OperatorUpdatesService,
  UndoableDecision,
  UpdateStatus,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { toast } from "#/shared/toast/store";
import { maxPerRequest, useBulkTransport } from "../queries";
import type { Decisions, Outcome } from "../use-decisions";

const { acknowledgeUpdates, listUpdates } = OperatorUpdatesService.method;

/** Acknowledges all automatically applied updates, including those that are not loaded yet. */
export function useAcknowledgeAll(decisions: Decisions) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const bulkTransport = useBulkTransport();
  const [pending, setPending] = useState(false);

  function reportOutcome({ done, refused, busy, unknown }: Outcome): void {
    const failed = t("review.toast.failed");
    const seen = t("review.toast.seenMany", { count: done.length });
    const undo =
      done.length > 0 ? decisions.undo.action(done, UndoableDecision.ACKNOWLEDGEMENT) : undefined;
    const problem =
      unknown > 0
        ? t("review.toast.unknownSeen", { count: unknown })
        : refused > 0 && t("review.toast.notSeen", { count: refused });
    if (problem) toast.failure(failed, undo ? `${seen}. ${problem}` : problem, undo);
    else if (undo) toast.success(seen, undefined, undo);
    else if (busy > 0) toast.failure(failed, t("review.toast.busySeen"));
    // Someone else was faster: nothing is left to do.
    else decisions.refresh();
  }

  async function acknowledgeAll(): Promise<void> {
    if (pending) return;
    setPending(true);
    const done: string[] = [];
    const sum = { done, refused: 0, busy: 0, unknown: 0 };
    try {
      for (;;) {
        const { updates } = await callUnaryMethod(transport, listUpdates, {
          statuses: [UpdateStatus.RECENT],
          page: { limit: maxPerRequest },
        });
        const ids = updates.map(({ id }) => id);
        if (ids.length === 0) break;
        const outcome = await decisions.many(ids, (chunk) =>
          callUnaryMethod(bulkTransport, acknowledgeUpdates, { ids: chunk }),
        );
        done.push(...outcome.done);
        sum.refused += outcome.refused;
        sum.busy += outcome.busy;
        sum.unknown += outcome.unknown;
        // Refused ids would be listed again.
        if (outcome.done.length === 0 || ids.length < maxPerRequest) break;
      }
      reportOutcome(sum);
    } catch (error) {
      toast.failure(t("review.toast.failed"), errorText(error));
    } finally {
      setPending(false);
    }
  }
  return { acknowledgeAll: () => void acknowledgeAll(), pending };
}
