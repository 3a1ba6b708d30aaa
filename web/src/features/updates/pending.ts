import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { callKey } from "#/api/call-key";
import { toFailure } from "#/api/errors";
import {
  OperatorUpdatesService,
  UpdateStatus,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";

const { listUpdates } = OperatorUpdatesService.method;

/** Operator updates are retried twice. */
export const policy = {
  retry: (failures: number, error: Error) => {
    const { status } = toFailure(error);
    return failures < 2 && status !== 401 && status !== 501;
  },
} as const;

export function pendingCountQuery(transport: Transport) {
  const input = { statuses: [UpdateStatus.PENDING], page: { limit: 1 } };
  return queryOptions({
    queryKey: callKey(listUpdates, input),
    queryFn: ({ signal }) => callUnaryMethod(transport, listUpdates, input, { signal }),
    ...policy,
  });
}

/** The number of waiting updates, for the navigation's badge; undefined while loading. */
export function usePendingCount(): number | undefined {
  return useQuery(pendingCountQuery(useTransport())).data?.pendingCount;
}
