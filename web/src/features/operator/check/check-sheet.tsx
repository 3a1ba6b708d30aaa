import { useTranslation } from "react-i18next";
import type { ReadingFlag } from "#/domain/reading-check";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import type { FieldMeter } from "../offline-data/meters";
import type { Question } from "./question";
import { RepairButton, RepairGroup } from "./repair-button";
import { useCloseByBack } from "../use-close-by-back";
import { useMeterText } from "../use-meter-text";
import { useQuestionText } from "./use-question-text";
import { useReplacedNote } from "./use-replaced-note";
import { useWhen } from "../use-when";

/** What was meant instead; all else stays as it was typed. */
export type Repair =
  | { kind: "reading"; reading: number }
  | { kind: "machine"; meter: FieldMeter }
  | { kind: "fuel"; fuel: number }
  | { kind: "replaced" }
  | { kind: "none" };

/**
 * Asked once about what looks wrong: why, and one press for each thing that may have been meant.
 * It stops nobody: "Send as it is" sends it, and going back keeps everything.
 */
export function CheckSheet({
  question,
  onRepair,
  onDrop,
  onBack,
}: {
  question: Question | null;
  onRepair: (repair: Repair) => void;
  /** It had been sent already. */
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
      description={question?.meter.name}
      footer={
        <>
          <Button variant="quiet" onClick={onBack}>
            {t("operator.check.back")}
          </Button>
          <Button onClick={() => onRepair({ kind: "none" })}>{t("operator.check.asItIs")}</Button>
        </>
      }
    >
      {question && (
        <div className="space-y-5">
          {question.flags.map((flag) => (
            <Doubt key={flag} flag={flag} question={question} onRepair={onRepair} onDrop={onDrop} />
          ))}
          <p className="text-sm text-muted">{t("operator.check.asItIsText")}</p>
        </div>
      )}
    </Dialog>
  );
}

function Doubt({
  flag,
  question,
  onRepair,
  onDrop,
}: {
  flag: ReadingFlag;
  question: Question;
  onRepair: (repair: Repair) => void;
  onDrop: () => void;
}) {
  const text = useQuestionText();
  return (
    <section className="space-y-4">
      <p>{text.why(flag, question)}</p>
      {(flag === "below_meter" || flag === "jump") && (
        <ReadingRepairs question={question} onRepair={onRepair} />
      )}
      {flag === "fuel_high" && <FuelRepairs question={question} onRepair={onRepair} />}
      {flag === "repeated" && <DropButton onDrop={onDrop} />}
    </section>
  );
}

function ReadingRepairs({
  question: { entry, meter, last, readings, machines },
  onRepair,
}: {
  question: Question;
  onRepair: (repair: Repair) => void;
}) {
  const { t } = useTranslation();
  const text = useMeterText();
  const when = useWhen();
  const replacedNote = useReplacedNote();
  const reading = entry.reading ?? 0;
  return (
    <>
      {readings.length > 0 && (
        <RepairGroup title={t("operator.check.digit")}>
          {readings.map((value) => (
            <RepairButton
              key={value}
              kind="digit"
              title={t("operator.check.send", { what: text.amount(value, meter.unit) })}
              text={`${text.difference(last.reading, value, meter.unit)} ${last.at ? when.since(last.at) : ""}`}
              onPress={() => onRepair({ kind: "reading", reading: value })}
            />
          ))}
        </RepairGroup>
      )}
      {machines.length > 0 && (
        <RepairGroup title={t("operator.check.machine")}>
          {machines.map((other) => (
            <RepairButton
              key={other.equipmentId}
              kind="machine"
              title={t("operator.check.sendFor", { name: other.name })}
              text={t("operator.check.machineText", {
                reading: text.amount(other.meterReading, other.unit),
                difference: text.difference(other.meterReading, reading, other.unit),
              })}
              onPress={() => onRepair({ kind: "machine", meter: other })}
            />
          ))}
        </RepairGroup>
      )}
      <RepairGroup title={t("operator.check.replaced")}>
        <RepairButton
          kind="meter"
          title={t("operator.check.sendReplaced")}
          text={t("operator.check.replacedText", { note: replacedNote(meter.unit) })}
          onPress={() => onRepair({ kind: "replaced" })}
        />
      </RepairGroup>
    </>
  );
}

function FuelRepairs({
  question: { fuels },
  onRepair,
}: {
  question: Question;
  onRepair: (repair: Repair) => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  if (fuels.length === 0) return null;
  return (
    <RepairGroup title={t("operator.check.digit")}>
      {fuels.map((fuel) => (
        <RepairButton
          key={fuel}
          kind="fuel"
          title={t("operator.check.send", { what: labels.gallons(fuel) })}
          onPress={() => onRepair({ kind: "fuel", fuel })}
        />
      ))}
    </RepairGroup>
  );
}

function DropButton({ onDrop }: { onDrop: () => void }) {
  const { t } = useTranslation();
  return (
    <RepairButton
      kind="drop"
      title={t("operator.check.drop")}
      text={t("operator.check.dropText")}
      onPress={onDrop}
    />
  );
}
