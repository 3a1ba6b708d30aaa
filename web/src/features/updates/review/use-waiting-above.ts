import { timestampMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { reviewQuery } from "../queries";
import { hasWrongUnit } from "../unit";

type Reading = OperatorUpdate & { newUsage: number; capturedAt: Timestamp };

/** The highest waiting reading of the machine above `dial` that was captured before an update. */
export function useWaitingAbove(
  { equipmentId, capturedAt }: OperatorUpdate,
  dial: number,
): Reading | undefined {
  // The list of the page is recent enough; the dashboard has only the first ones.
  const { data } = useQuery({ ...reviewQuery(useTransport()), staleTime: Infinity });
  const isAbove = (other: OperatorUpdate): other is Reading =>
    other.equipmentId === equipmentId &&
    other.newUsage !== undefined &&
    other.newUsage > dial &&
    !hasWrongUnit(other) &&
    capturedAt !== undefined &&
    other.capturedAt !== undefined &&
    timestampMs(other.capturedAt) < timestampMs(capturedAt);
  return data?.updates
    .filter(isAbove)
    .toSorted((one, other) => other.newUsage - one.newUsage)
    .at(0);
}
