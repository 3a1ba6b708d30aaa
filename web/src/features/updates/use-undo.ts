import { callUnaryMethod } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { sentenceText, useErrorText } from "#/api/error-text";
import {
  OperatorUpdatesService,
  type ApplyResult,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { loadRefusals } from "#/i18n";
import { toast, type ToastAction } from "#/shared/toast/store";
import { maxPerRequest, useBulkTransport } from "./queries";
import { refreshDecided } from "./refresh-decided";

/** Undoes decisions: rejected and applied updates wait again, acknowledged ones are recent again. */
export function useUndo() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const client = useQueryClient();
  const transport = useBulkTransport();

  async function undo(ids: readonly string[]): Promise<void> {
    const results: ApplyResult[] = [];
    try {
      for (let from = 0; from < ids.length; from += maxPerRequest) {
        const part = ids.slice(from, from + maxPerRequest);
        const { undoDecisions } = OperatorUpdatesService.method;
        results.push(...(await callUnaryMethod(transport, undoDecisions, { ids: part })).results);
      }
      const refused = results.filter(({ ok }) => !ok);
      const [first] = refused;
      if (first) {
        await loadRefusals();
        const { code, parameters: params } = first;
        const reason = sentenceText(t, { code, params, text: null }) ?? t("errors.server");
        toast.failure(t("review.undo.failed", { count: refused.length }), reason);
      } else toast.success(t("review.undo.done", { count: results.length }));
    } catch (error) {
      toast.failure(t("review.undo.failed", { count: ids.length }), errorText(error));
    }
    refreshDecided(client);
  }

  return {
    undo,
    /** For the toast of the decision. */
    action: (ids: readonly string[]): ToastAction => ({
      label: t("review.undo.action"),
      run: () => void undo(ids),
    }),
  };
}
