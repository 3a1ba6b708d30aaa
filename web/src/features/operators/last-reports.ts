import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod, createQueryOptions, useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { wholeList } from "#/api/whole-list";

const { listLastReports } = OperatorUpdatesService.method;

/** When the newest report of each person was received, by the person's id. */
export type LastReports = ReadonlyMap<string, Date>;

function lastReportsQuery(transport: Transport) {
  return {
    ...createQueryOptions(listLastReports, {}, { transport }),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      wholeList(
        (page) => callUnaryMethod(transport, listLastReports, { page }, { signal }),
        (whole, next) => whole.reports.push(...next.reports),
      ),
  };
}

/** Undefined while unknown. */
export function useLastReports(): LastReports | undefined {
  const { data } = useQuery(lastReportsQuery(useTransport()));
  return useMemo(
    () =>
      data &&
      new Map(
        data.reports.flatMap(({ operatorId, receivedAt }) =>
          receivedAt ? [[operatorId, timestampDate(receivedAt)]] : [],
        ),
      ),
    [data],
  );
}
