import { callUnaryMethod, createConnectQueryKey } from "@connectrpc/connect-query";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { useWriteTransport } from "#/shared/form/use-write";

/** Rejects the waiting updates of a machine that is no longer in use. */
export function useRejectWaiting() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const transport = useWriteTransport();
  return useMutation({
    // Updates that someone else has decided meanwhile are left as they are.
    mutationFn: (ids: readonly string[]) =>
      callUnaryMethod(transport, OperatorUpdatesService.method.rejectUpdates, {
        ids: [...ids],
        reason: t("updates.rejectReasons.machineGone"),
      }),
    onSettled: () =>
      client.invalidateQueries({
        queryKey: createConnectQueryKey({
          schema: OperatorUpdatesService,
          cardinality: undefined,
        }),
      }),
  });
}
