import { useTranslation } from "react-i18next";
import type { UnitWord } from "#/domain/equipment-words";
import type { OwnUpdate } from "../offline-data/own-update";
import { useMeterText } from "#/shared/words/use-meter-text";

/** "Applied as 60,290 mi, you sent 602,900 mi", if a manager changed the value. */
export function AppliedLine({
  update: { status, newUsage, usageIncrease, appliedReading, unit: sentUnit, flags },
  unit = "n/a",
}: {
  update: OwnUpdate;
  /** The machine's, which may have changed since. */
  unit: UnitWord | undefined;
}) {
  const { t } = useTranslation();
  const text = useMeterText();
  const captured = sentUnit ?? unit;
  // With this flag the manager's value was in the machine's new unit.
  const applied = flags.includes("wrong_unit") ? unit : captured;
  const sent =
    usageIncrease === null
      ? newUsage !== null && text.amount(newUsage, captured)
      : text.difference(0, usageIncrease, captured);
  if (status !== "applied" || appliedReading === null || appliedReading === newUsage || !sent) {
    return null;
  }
  return (
    <p className="mt-0.5 pl-6 text-sm">
      {t("operator.list.appliedAs", { applied: text.amount(appliedReading, applied), sent })}
    </p>
  );
}
