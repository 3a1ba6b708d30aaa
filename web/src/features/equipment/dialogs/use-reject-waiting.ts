import { callUnaryMethod, createConnectQueryKey } from "@connectrpc/connect-query";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { useWriteTransport } from "#/shared/form/use-write";

/** The server's limit for one call. */
const maxUpdates = 500;

/** Rejects waiting updates of machines that are no longer in use. */
export function useRejectWaiting() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const transport = useWriteTransport();
  return useMutation({
    // Updates that someone else has decided meanwhile are left as they are.
    mutationFn: async (ids: readonly string[]) => {
      for (let at = 0; at < ids.length; at += maxUpdates) {
        await callUnaryMethod(transport, OperatorUpdatesService.method.rejectUpdates, {
          ids: ids.slice(at, at + maxUpdates),
          reason: t("updates.rejectReasons.machineGone"),
        });
      }
    },
    onSettled: () =>
      client.invalidateQueries({
        queryKey: createConnectQueryKey({
          schema: OperatorUpdatesService,
          cardinality: undefined,
        }),
      }),
  });
}
