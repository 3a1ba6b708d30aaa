import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { likelyReadings } from "#/domain/likely-fixes";
import { FixButton, FixGroup } from "#/shared/reading-check/fix-button";
import { useQuestionText } from "#/shared/reading-check/use-question-text";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { useUpdateText } from "#/shared/words/update-text";
import { checkedEntry, checkedMeter } from "./checked";

/** Asks before a reading raises the meter by more than is plausible. */
export function JumpDialog({
  update,
  equipment,
  reading,
  likely,
  onConfirm,
  onCorrect,
  onClose,
}: {
  update: OperatorUpdate;
  equipment: Equipment;
  reading: number;
  /** The reading that was probably meant, if the operator's own is to be applied. */
  likely: number | undefined;
  onConfirm: () => void;
  /** Applies this reading instead. */
  onCorrect: (reading: number) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const question = useQuestionText();
  const machine = { ...checkedMeter(equipment), name: equipment.name };
  const entry = { ...checkedEntry(update), reading, increase: null, unit: machine.unit };
  const { capturedAt } = entry;
  // Beside the operator's own reading, the row itself offers them.
  const readings = likely === undefined ? likelyReadings(machine, entry) : [];
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={question.title("jump")}
      description={
        likely === undefined
          ? question.why("jump", {
              machine,
              entry: {
                reading,
                capturedAt: capturedAt.toISOString(),
                fuelAdded: null,
                fuelKind: "gas",
              },
              last: { reading: machine.meterReading, at: machine.meterReadAt },
              repeatedSecondsAgo: null,
            })
          : t("review.correct.mistyped", {
              operator: update.operatorName,
              reading: text.reading(reading, equipment.unit),
              likely: text.reading(likely, equipment.unit),
            })
      }
      confirmLabel={t("review.correct.anyway", { reading: text.reading(reading, equipment.unit) })}
      onConfirm={onConfirm}
    >
      {readings.length > 0 && (
        <div className="mt-4">
          <FixGroup title={t("operator.check.digit")}>
            {readings.map((each) => (
              <FixButton
                key={each}
                kind="digit"
                title={t("review.act.applyReading", {
                  reading: text.reading(each, equipment.unit),
                })}
                text={text.difference(machine.meterReading, each, equipment.unit)}
                onPress={() => onCorrect(each)}
              />
            ))}
          </FixGroup>
        </div>
      )}
    </AlertDialog>
  );
}
