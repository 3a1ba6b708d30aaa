import { useTranslation } from "react-i18next";
import type { UnitWord } from "#/domain/equipment-words";
import type { OwnUpdate } from "../offline-data/own-update";
import { useMeterText } from "#/shared/words/use-meter-text";

/** "Applied as 60,290 mi, you sent 602,900 mi", if a manager changed the value. */
export function AppliedLine({
  update: { status, newUsage, usageIncrease, appliedReading },
  unit = "n/a",
}: {
  update: OwnUpdate;
  unit: UnitWord | undefined;
}) {
  const { t } = useTranslation();
  const text = useMeterText();
  const sent =
    usageIncrease === null
      ? newUsage !== null && text.amount(newUsage, unit)
      : text.difference(0, usageIncrease, unit);
  if (status !== "applied" || appliedReading === null || appliedReading === newUsage || !sent) {
    return null;
  }
  return (
    <p className="mt-0.5 pl-6 text-sm">
      {t("operator.list.appliedAs", { applied: text.amount(appliedReading, unit), sent })}
    </p>
  );
}
