import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { FixButton, FixGroup } from "#/shared/reading-check/fix-button";
import { useQuestionText } from "#/shared/reading-check/use-question-text";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useMeterText } from "#/shared/words/use-meter-text";
import type { UsageQuestion } from "./usage-question";
import type { UsageValues } from "./usage-schema";

/** Explains why an entry looks wrong, with one button per likely fix, as the operators' form does. */
export function UsageCheck({
  equipmentId,
  question: { values, flags, machine, last, readings, fuels, asReading, ...question },
  onSave,
  onFix,
  onReading,
  onReplace,
  onHistory,
  onClose,
}: {
  equipmentId: string;
  question: UsageQuestion;
  onSave: (values: UsageValues) => void;
  /** One value was corrected; another one may still look wrong. */
  onFix: (values: UsageValues) => void;
  /** The increase is the reading. */
  onReading: (reading: number) => void;
  /** The meter was replaced. */
  onReplace: () => void;
  /** The history is opened, where the last reading can be voided. */
  onHistory: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const text = useQuestionText();
  const meterText = useMeterText();
  const labels = useEquipmentLabels();
  const [first] = flags;
  // The server refuses a reading below the meter.
  const isBelow = flags.includes("below_meter");
  const all = { ...question, machine, last };
  const what = (amount: string) =>
    flags.length > 1
      ? t("equipment-dialogs.check.use", { what: amount })
      : t("equipment-dialogs.check.save", { what: amount });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={first && text.title(first)}
      description={machine.name}
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            {t("operator.check.back")}
          </Button>
          {!isBelow && (
            <Button onClick={() => onSave(values)}>{t("equipment-dialogs.check.asItIs")}</Button>
          )}
        </>
      }
    >
      <div className="space-y-5">
        {flags.map((flag) => (
          <p key={flag}>{text.why(flag, all)}</p>
        ))}
        {readings.length + fuels.length > 0 && (
          <FixGroup title={t("operator.check.digit")}>
            {readings.map((reading) => (
              <FixButton
                key={reading}
                kind="digit"
                title={what(meterText.amount(reading, machine.unit))}
                text={meterText.difference(last.reading, reading, machine.unit)}
                onPress={() => onFix({ ...values, reading: String(reading) })}
              />
            ))}
            {fuels.map((fuel) => (
              <FixButton
                key={fuel}
                kind="fuel"
                title={what(labels.gallons(fuel))}
                onPress={() => onFix({ ...values, fuelAdded: String(fuel) })}
              />
            ))}
          </FixGroup>
        )}
        {asReading !== null && (
          <FixButton
            kind="meter"
            title={t("equipment-dialogs.check.asReading", {
              reading: meterText.amount(asReading, machine.unit),
            })}
            text={meterText.difference(last.reading, asReading, machine.unit)}
            onPress={() => onReading(asReading)}
          />
        )}
        {isBelow && (
          <FixGroup title={t("operator.check.replaced")}>
            <FixButton
              kind="meter"
              title={t("equipment-dialogs.check.replace")}
              onPress={onReplace}
            />
          </FixGroup>
        )}
        {isBelow && (
          <p>
            {t("equipment-dialogs.check.lastWrong")}{" "}
            <Link
              to="/equipment/item/$id"
              params={{ id: equipmentId }}
              search={{ tab: "history" }}
              onClick={onHistory}
              className="font-semibold text-accent underline underline-offset-3"
            >
              {t("equipment-dialogs.check.void")}
            </Link>
          </p>
        )}
      </div>
    </Dialog>
  );
}
