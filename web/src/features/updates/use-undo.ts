import { callUnaryMethod } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { sentenceText, useErrorText } from "#/api/error-text";
import {
  OperatorUpdatesService,
  type ApplyResult,
  type UndoableDecision,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { loadRefusals } from "#/i18n";
import { toast, type ToastAction } from "#/shared/toast/store";
import { maxPerRequest, useBulkTransport } from "./queries";
import { refreshDecided } from "./refresh-decided";

/** The server undoes a decision within 60 seconds; the offer leaves time for the request. */
export const undoMs = 55_000;

const { undoDecisions } = OperatorUpdatesService.method;

/** Undoes decisions: rejected and applied updates wait again, acknowledged ones are recent again. */
export function useUndo() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const client = useQueryClient();
  const transport = useBulkTransport();

  /** Returns whether all were undone and the lists have them. `quiet`: a success needs no toast. */
  async function undo(
    ids: readonly string[],
    decision: UndoableDecision,
    { quiet = false } = {},
  ): Promise<boolean> {
    let succeeded = false;
    const results: ApplyResult[] = [];
    try {
      let rest = ids;
      while (rest.length > 0) {
        const part = rest.slice(0, maxPerRequest);
        const request = { ids: part, decision };
        const answer = (await callUnaryMethod(transport, undoDecisions, request)).results;
        // The server's time was up before these; without progress, a repeat would not help.
        const later = answer.filter(({ code }) => code === "UNDO_LATER");
        const again = later.length < part.length ? later : [];
        results.push(...answer.filter((result) => !again.includes(result)));
        rest = [...again.map(({ id }) => id), ...rest.slice(part.length)];
      }
      const refused = results.filter(({ ok }) => !ok);
      const [first] = refused;
      if (first) {
        await loadRefusals();
        const { code, parameters: params } = first;
        const reason = sentenceText(t, { code, params, text: null }) ?? t("errors.server");
        toast.failure(t("review.undo.failed", { count: refused.length }), reason);
      } else {
        succeeded = true;
        if (!quiet) toast.success(t("review.undo.done", { count: results.length }));
      }
    } catch (error) {
      const done = results.filter(({ ok }) => ok).length;
      toast.failure(t("review.undo.failed", { count: ids.length - done }), errorText(error));
    }
    await refreshDecided(client);
    return succeeded;
  }

  return {
    undo,
    /** For the toast of the decision. */
    action: (ids: readonly string[], decision: UndoableDecision): ToastAction => ({
      label: t("review.undo.action"),
      run: () => void undo(ids, decision),
    }),
  };
}
