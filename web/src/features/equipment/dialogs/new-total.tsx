import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { parseDecimal } from "#/shared/form/decimal";
import { useAddedSince } from "#/shared/use-added-since";
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
  const addedSince = useAddedSince(seen.id, historyOnly ? null : momentOf(values)) ?? 0;
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
