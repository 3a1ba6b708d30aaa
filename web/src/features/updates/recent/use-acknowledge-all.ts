import { createClient } from "@connectrpc/connect";
import { useTransport } from "@connectrpc/connect-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  OperatorUpdatesService,
  UpdateStatus,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { toast } from "#/shared/toast/store";
import { most } from "../queries";
import type { Decisions } from "../use-decisions";

/** Marks everything as seen that took effect by itself, also what is further down than the list goes. */
export function useAcknowledgeAll(decisions: Decisions) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const [pending, setPending] = useState(false);

  async function acknowledgeAll(): Promise<void> {
    if (pending) return;
    setPending(true);
    const sum = { done: 0, refused: 0 };
    try {
      for (;;) {
        const { updates } = await createClient(OperatorUpdatesService, transport).listUpdates({
          statuses: [UpdateStatus.RECENT],
          page: { limit: most },
        });
        const ids = updates.map(({ id }) => id);
        if (ids.length === 0) break;
        const { done, refused } = await decisions.many(ids, (service, chunk) =>
          service.acknowledgeUpdates({ ids: chunk }),
        );
        sum.done += done;
        sum.refused += refused;
        // What was refused would come again and again.
        if (done === 0 || ids.length < most) break;
      }
      const text = t("updates.toast.seenMany", { count: sum.done });
      if (sum.refused === 0) toast.success(text);
      else
        toast.failure(
          t("updates.toast.failed"),
          t("updates.toast.notSeen", { count: sum.refused }),
        );
    } catch (error) {
      toast.failure(t("updates.toast.failed"), errorText(error));
    } finally {
      setPending(false);
    }
  }
  return { acknowledgeAll: () => void acknowledgeAll(), pending };
}
