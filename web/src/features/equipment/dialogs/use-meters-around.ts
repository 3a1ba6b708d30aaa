import { useQuery } from "@connectrpc/connect-query";
import { useTranslation } from "react-i18next";
import {
  EquipmentService,
  HistoryKind,
  type Equipment,
  type HistoryRecord,
  type MeterUnit,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { useFormat } from "#/shared/format/use-format";
import { useCompanyDay, useCompanyZone } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFirstReading } from "./first-reading";
import { metersAround, type KnownMeter, type KnownMeters } from "./meter-on";

const meterKinds = [
  HistoryKind.USAGE,
  HistoryKind.SERVICE,
  HistoryKind.EDIT,
  HistoryKind.METER,
] as const;
/** The server's largest page. Nothing is known around an older day. */
const maxRecords = 500;

/** The records that may show the meter, and the services; undefined while they load. */
export function useMeterRecords(equipmentId: string, enabled = true): HistoryRecord[] | undefined {
  const { data } = useQuery(
    EquipmentService.method.listHistory,
    { equipmentId, kinds: [...meterKinds], page: { limit: maxRecords } },
    { enabled },
  );
  return data?.records;
}

/** The readings around a day before today; null while they load, and for today. */
export function useMetersAround(seen: Equipment, day: string): KnownMeters | null {
  const zone = useCompanyZone();
  const isPast = day < useCompanyDay();
  const records = useMeterRecords(seen.id, isPast && unitWord(seen.unit) !== "n/a");
  const first = useFirstReading(seen);
  return isPast && records ? metersAround(records, seen, { day, zone, first }) : null;
}

/** "Last known: 4,750 hours on Jan 5, 2025. Next reading: 4,812.5 hours on Jan 9, 2025." */
export function useAroundText() {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  return ({ before, after }: Partial<KnownMeters>, unit: MeterUnit): string => {
    const read = (known: KnownMeter) => ({
      amount: labels.amount(known.dial, unitWord(unit)),
      date: format.calendarDate(known.day),
    });
    const parts = [
      before && t("equipment-detail.done.meterBefore", read(before)),
      after && t("equipment-detail.done.meterAfter", read(after)),
    ];
    return parts.filter(Boolean).join(" ");
  };
}
