import { useTranslation } from "react-i18next";
import { likelyFuel, likelyMachines, likelyReadings } from "#/domain/likely-fixes";
import { checkReading, type ReadingFlag } from "#/domain/reading-check";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { UnitNumber } from "#/shared/ui/unit-number";
import type { UpdateValues } from "../form/schema";
import type { FieldMachine } from "../offline-data/machines";
import type { Question } from "./question";
import { FixButton, FixGroup } from "#/shared/reading-check/fix-button";
import { useCloseByBack } from "../use-close-by-back";
import { useFuelText } from "#/shared/words/meter-text";
import { useMeterText } from "#/shared/words/use-meter-text";
import { useQuestionText } from "#/shared/reading-check/use-question-text";
import { useWhen } from "#/shared/words/use-when";

/** The correction that the user chose. Other values stay as typed. */
export type Fix =
  | { kind: "reading"; reading: number }
  | { kind: "machine"; machine: FieldMachine }
  | { kind: "fuel"; values: Partial<Pick<UpdateValues, "fuel" | "fuelKind">> }
  | { kind: "replaced" }
  | { kind: "none" };

/**
 * Explains why an entry looks wrong and offers one button per likely fix. The user can also send the
 * entry unchanged, or go back to the form.
 */
export function CheckSheet({
  question,
  onFix,
  onDrop,
  onBack,
}: {
  question: Question | null;
  onFix: (fix: Fix) => void;
  /** Called when the user drops a repeated entry. */
  onDrop: () => void;
  onBack: () => void;
}) {
  const { t } = useTranslation();
  const text = useQuestionText();
  useCloseByBack(question !== null, onBack);
  const [first] = question?.flags ?? [];
  return (
    <Dialog
      open={question !== null}
      onOpenChange={(open) => {
        if (!open) onBack();
      }}
      title={first && text.title(first)}
      description={
        question && (
          <>
            <UnitNumber number={question.machine.unitNumber} />
            {question.machine.name}
          </>
        )
      }
      footer={
        <>
          <Button variant="quiet" onClick={onBack}>
            {t("operator.check.back")}
          </Button>
          <Button onClick={() => onFix({ kind: "none" })}>{t("operator.check.asItIs")}</Button>
        </>
      }
    >
      {question && (
        <div data-check-sheet className="space-y-5">
          {question.flags.map((flag) => (
            <FlagSection key={flag} flag={flag} question={question} onFix={onFix} onDrop={onDrop} />
          ))}
          <p className="text-sm text-muted">{t("operator.check.asItIsText")}</p>
        </div>
      )}
    </Dialog>
  );
}

function FlagSection({
  flag,
  question,
  onFix,
  onDrop,
}: {
  flag: ReadingFlag;
  question: Question;
  onFix: (fix: Fix) => void;
  onDrop: () => void;
}) {
  const text = useQuestionText();
  return (
    <section className="space-y-4">
      <p>{text.why(flag, question)}</p>
      {(flag === "below_meter" || flag === "jump") &&
        (question.entry.increase == null ? (
          <ReadingFixes question={question} onFix={onFix} />
        ) : (
          <AsReading question={question} reading={question.entry.increase} onFix={onFix} />
        ))}
      {flag === "fuel_high" && <FuelFixes question={question} onFix={onFix} />}
      {flag === "wrong_fuel" && <OtherFuel question={question} onFix={onFix} />}
      {flag === "repeated" && <DropButton onDrop={onDrop} />}
    </section>
  );
}

function ReadingFixes({
  question: { entry, machine, last, meter, checked, context },
  onFix,
}: {
  question: Question;
  onFix: (fix: Fix) => void;
}) {
  const { t } = useTranslation();
  const text = useMeterText();
  const reading = entry.reading ?? 0;
  const readings = likelyReadings(meter, checked);
  const machines = likelyMachines(
    context.machines.filter((each) => each.unit === machine.unit),
    checked,
    { notId: machine.equipmentId, oftenUsed: context.oftenUsed },
  );
  return (
    <>
      {readings.length > 0 && (
        <FixGroup title={t("operator.check.digit")}>
          {readings.map((value) => (
            <SendReading key={value} {...{ machine, last, onFix }} kind="digit" reading={value} />
          ))}
        </FixGroup>
      )}
      {machines.length > 0 && (
        <FixGroup title={t("operator.check.machine")}>
          {machines.map((other) => (
            <FixButton
              key={other.equipmentId}
              kind="machine"
              title={t("operator.check.sendFor", { name: other.name })}
              text={t("operator.check.machineText", {
                reading: text.amount(other.meterReading, other.unit),
                difference: text.difference(other.meterReading, reading, other.unit),
              })}
              onPress={() => onFix({ kind: "machine", machine: other })}
            />
          ))}
        </FixGroup>
      )}
      <FixGroup title={t("operator.check.replaced")}>
        <FixButton
          kind="meter"
          title={t("operator.check.sendReplaced")}
          text={t("operator.check.replacedText", { note: t("operator.check.replacedNote") })}
          onPress={() => onFix({ kind: "replaced" })}
        />
      </FixGroup>
    </>
  );
}

/** The number typed as added, if it would be plausible as the reading. */
function AsReading({
  question: { entry, machine, last, meter },
  reading,
  onFix,
}: {
  question: Question;
  reading: number;
  onFix: (fix: Fix) => void;
}) {
  const { t } = useTranslation();
  const { flags } = checkReading(meter, {
    reading,
    fuelAdded: 0,
    capturedAt: new Date(entry.capturedAt),
    repeatedSecondsAgo: null,
  });
  if (flags.length > 0) return null;
  return (
    <FixGroup title={t("operator.form.modeReading")}>
      <SendReading {...{ machine, last, reading, onFix }} kind="meter" />
    </FixGroup>
  );
}

function SendReading({
  kind,
  reading,
  machine,
  last,
  onFix,
}: Pick<Question, "machine" | "last"> & {
  kind: "digit" | "meter";
  reading: number;
  onFix: (fix: Fix) => void;
}) {
  const { t } = useTranslation();
  const text = useMeterText();
  const when = useWhen();
  return (
    <FixButton
      kind={kind}
      title={t("operator.check.send", { what: text.amount(reading, machine.unit) })}
      text={`${text.difference(last.reading, reading, machine.unit)} ${last.at ? when.since(last.at) : ""}`}
      onPress={() => onFix({ kind: "reading", reading })}
    />
  );
}

function FuelFixes({
  question: { meter, checked },
  onFix,
}: {
  question: Question;
  onFix: (fix: Fix) => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const fuels = likelyFuel(meter, checked);
  if (fuels.length === 0) return null;
  return (
    <FixGroup title={t("operator.check.digit")}>
      {fuels.map((fuel) => (
        <FixButton
          key={fuel}
          kind="fuel"
          title={t("operator.check.send", { what: labels.gallons(fuel) })}
          onPress={() => onFix({ kind: "fuel", values: { fuel: String(fuel) } })}
        />
      ))}
    </FixGroup>
  );
}

/** The same amount of the machine's own kind. */
function OtherFuel({
  question: { entry },
  onFix,
}: {
  question: Question;
  onFix: (fix: Fix) => void;
}) {
  const { t } = useTranslation();
  const fuel = useFuelText();
  const fuelKind = entry.fuelKind === "gas" ? "diesel" : "gas";
  return (
    <FixButton
      kind="fuel"
      title={t("operator.check.send", { what: fuel(entry.fuelAdded ?? 0, fuelKind) })}
      onPress={() => onFix({ kind: "fuel", values: { fuelKind } })}
    />
  );
}

function DropButton({ onDrop }: { onDrop: () => void }) {
  const { t } = useTranslation();
  return (
    <FixButton
      kind="drop"
      title={t("operator.check.drop")}
      text={t("operator.check.dropText")}
      onPress={onDrop}
    />
  );
}
