import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import {
  EquipmentService,
  HistoryKind,
  HistoryOrder,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dayIn } from "#/domain/calendar";

const dayMs = 86_400_000;

/** The server's largest page. */
const maxRecords = 500;

/**
 * What was added to a machine's meter after `moment`: today's meter is a reading of that moment plus
 * this. Null means now. Undefined until it is loaded.
 */
export function useAddedSince(equipmentId: string, moment: Date | null): number | undefined {
  const { data } = useQuery(
    EquipmentService.method.listHistory,
    {
      equipmentId,
      kinds: [HistoryKind.USAGE],
      order: HistoryOrder.CAPTURED,
      // The company's day of the moment may be the day before in UTC.
      from: moment ? dayIn("UTC", new Date(moment.getTime() - dayMs)) : "",
      page: { limit: maxRecords },
    },
    { enabled: moment !== null },
  );
  if (!moment) return 0;
  const added = data?.records.filter((record) => isAddedAfter(record, moment));
  return added?.reduce((sum, { usage = 0, usageBefore = 0 }) => sum + usage - usageBefore, 0);
}

function isAddedAfter({ capturedAt, reading, voiding }: HistoryRecord, moment: Date): boolean {
  if (reading !== undefined || voiding || !capturedAt) return false;
  return timestampDate(capturedAt) > moment;
}
