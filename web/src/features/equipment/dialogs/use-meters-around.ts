import { useQuery } from "@connectrpc/connect-query";
import {
  EquipmentService,
  HistoryKind,
  type Equipment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { useCompanyDay, useCompanyZone } from "#/shared/use-company-day";
import { metersAround, type KnownMeters } from "./meter-on";

const meterKinds = [
  HistoryKind.USAGE,
  HistoryKind.SERVICE,
  HistoryKind.EDIT,
  HistoryKind.METER,
] as const;
/** The server's largest page. Nothing is known around an older day. */
const maxRecords = 500;

/** The readings around a day before today; null while they load, and for today. */
export function useMetersAround(seen: Equipment, day: string): KnownMeters | null {
  const zone = useCompanyZone();
  const isPast = day !== useCompanyDay();
  const { data } = useQuery(
    EquipmentService.method.listHistory,
    { equipmentId: seen.id, kinds: [...meterKinds], page: { limit: maxRecords } },
    { enabled: isPast && unitWord(seen.unit) !== "n/a" },
  );
  return isPast && data ? metersAround(data.records, seen, { day, zone }) : null;
}
