import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod, createConnectQueryKey } from "@connectrpc/connect-query";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { useWriteTransport } from "#/shared/form/use-write";

/** The server's limit for one call. */
export const maxUpdates = 500;

/**
 * Rejects waiting updates and returns the ids of the rejected ones. Updates that someone else has
 * decided meanwhile are left as they are.
 */
export async function rejectWaiting(
  transport: Transport,
  ids: readonly string[],
  reason: string,
): Promise<string[]> {
  const rejected: string[] = [];
  for (let at = 0; at < ids.length; at += maxUpdates) {
    const { results } = await callUnaryMethod(
      transport,
      OperatorUpdatesService.method.rejectUpdates,
      { ids: ids.slice(at, at + maxUpdates), reason },
    );
    rejected.push(...results.filter(({ ok }) => ok).map(({ id }) => id));
  }
  return rejected;
}

/** Refetches all lists of operator updates. */
export function useRefreshUpdates(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(
    () =>
      client.invalidateQueries({
        queryKey: createConnectQueryKey({
          schema: OperatorUpdatesService,
          cardinality: undefined,
        }),
      }),
    [client],
  );
}

/** Rejects waiting updates of a machine that is no longer in use. */
export function useRejectWaiting() {
  const { t } = useTranslation();
  const transport = useWriteTransport();
  const refresh = useRefreshUpdates();
  return useMutation({
    mutationFn: (ids: readonly string[]) =>
      rejectWaiting(transport, ids, t("review.reasons.machineGone")),
    onSettled: refresh,
  });
}
