import { useTranslation } from "react-i18next";
import type { UnitWord } from "#/domain/equipment-words";
import type { OwnUpdate } from "../offline-data/own-update";
import { useFuelText } from "#/shared/words/meter-text";
import { useMeterText } from "#/shared/words/use-meter-text";

/** "Applied as 60,290 mi, you sent 602,900 mi", if a manager changed the reading, and likewise the fuel. */
export function AppliedLine({
  update,
  unit = "n/a",
}: {
  update: OwnUpdate;
  /** The machine's, which may have changed since. */
  unit: UnitWord | undefined;
}) {
  const { t } = useTranslation();
  const text = useMeterText();
  const fuel = useFuelText();
  const { newUsage, usageIncrease, appliedReading, appliedFuel, fuelAdded, fuelType } = update;
  if (update.status !== "applied") return null;
  const captured = update.unit ?? unit;
  // With this flag the manager's value was in the machine's new unit.
  const applied = update.flags.includes("wrong_unit") ? unit : captured;
  const sent =
    usageIncrease === null
      ? newUsage !== null && text.amount(newUsage, captured)
      : text.difference(0, usageIncrease, captured);
  const lines = [
    appliedReading !== null &&
      appliedReading !== newUsage &&
      sent && { applied: text.amount(appliedReading, applied), sent },
    appliedFuel !== null && {
      applied: fuel(appliedFuel, update.appliedFuelType ?? fuelType),
      sent: fuel(fuelAdded, fuelType),
    },
  ];
  return lines.map(
    (line) =>
      line && (
        <p key={line.sent} className="mt-0.5 pl-6 text-sm">
          {t("operator.list.appliedAs", line)}
        </p>
      ),
  );
}
