import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { useTranslation } from "react-i18next";
import {
  EquipmentService,
  HistoryKind,
  HistoryOrder,
  type Equipment,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dayIn } from "#/domain/calendar";
import { unitWord } from "#/domain/equipment-wire";
import { parseDecimal } from "#/shared/form/decimal";
import { useCompanyZone } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { readMoment } from "../meters/moment";
import type { UsageValues } from "./usage-schema";

/** Whether the meter was read after the entered moment, so that today's meter stays. */
export function changesOnlyHistory(
  { meterReadAt }: Pick<Equipment, "meterReadAt">,
  values: UsageValues,
): boolean {
  const at = momentOf(values);
  return at !== null && meterReadAt !== undefined && at < timestampDate(meterReadAt);
}

/** What the meter shows after the entry. */
export function NewTotal({ seen, values }: { seen: Equipment; values: UsageValues }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const historyOnly = changesOnlyHistory(seen, values);
  const addedSince = useAddedSince(seen, historyOnly ? null : momentOf(values));
  const typed = parseDecimal(values.way === "reading" ? values.reading : values.usageIncrease);
  const base = values.way === "reading" ? addedSince : seen.meterReading;
  const total =
    historyOnly || typed === null
      ? seen.meterReading
      : Math.round((base + Math.max(0, typed)) * 100) / 100;
  return (
    <div>
      <dt className="text-sm text-muted">{t("equipment-dialogs.usage.newTotal")}</dt>
      <dd aria-live="polite">
        <span className="font-semibold">{labels.amount(total, unitWord(seen.unit))}</span>
        {historyOnly && (
          <span className="block text-sm">{t("equipment-detail.usage.historyOnly")}</span>
        )}
      </dd>
    </div>
  );
}

function momentOf({ way, capturedAt }: UsageValues): Date | null {
  return way === "reading" ? readMoment(capturedAt) : null;
}

/** The server's largest page. */
const maxRecords = 500;

/** What was added to the meter since a moment: today's meter is a reading of then plus that. */
function useAddedSince({ id }: Equipment, moment: Date | null): number {
  const zone = useCompanyZone();
  const { data } = useQuery(
    EquipmentService.method.listHistory,
    {
      equipmentId: id,
      kinds: [HistoryKind.USAGE],
      order: HistoryOrder.CAPTURED,
      from: moment ? dayIn(zone, moment) : "",
      page: { limit: maxRecords },
    },
    { enabled: moment !== null },
  );
  if (!moment) return 0;
  const added = (data?.records ?? []).filter((record) => isAddedAfter(record, moment));
  return added.reduce((sum, { usage = 0, usageBefore = 0 }) => sum + usage - usageBefore, 0);
}

function isAddedAfter({ capturedAt, reading, voiding }: HistoryRecord, moment: Date): boolean {
  if (reading !== undefined || voiding || !capturedAt) return false;
  return timestampDate(capturedAt) > moment;
}
