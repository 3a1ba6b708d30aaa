import { clsx } from "clsx";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useFormat } from "#/shared/format/use-format";

type Row = Pick<Equipment, "meterAgeDays" | "meterReadAt" | "stale">;

/** Below a reading: how old it is. */
export function ReadingAge({ equipment }: { equipment: Row }) {
  const text = useReadingAge();
  if (equipment.meterAgeDays === undefined) return null;
  return (
    <span
      className={clsx(
        "block text-xs whitespace-nowrap",
        equipment.stale ? "font-semibold" : "text-muted",
      )}
    >
      {text(equipment)}
    </span>
  );
}

/** "read 3 days ago", "never read"; empty without a meter. */
export function useReadingAge(): (row: Row) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return ({ meterAgeDays, meterReadAt }) => {
    if (meterAgeDays === undefined) return "";
    // Added usage is newer, and not a reading.
    return meterReadAt
      ? t("equipment.age.read", { when: format.ago(meterAgeDays, "day") })
      : t("equipment.age.never");
  };
}
