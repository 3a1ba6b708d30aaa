import { useState } from "react";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { withTexts } from "#/i18n/lazy-with-texts";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import type { EquipmentById } from "../queries";
import { isBelowWaiting } from "../flags";
import { hasWrongUnit } from "../unit";
import { isLate } from "../late";
import type { Decided } from "../use-decided";
import type { Correction, Decisions, FuelCorrection } from "../use-decisions";
import { computedReadings, type Act } from "./fixes";
import { isJump } from "./jump";
import { meterAbove, meterAfter } from "./lowering";
import { useIsAboveEnd } from "./use-meter-ended-below";

const LowerDialog = dialogOnDemand(() =>
  import("./lower-dialog").then((module) => module.LowerDialog),
);
const JumpDialog = dialogOnDemand(
  withTexts(["operator"], () => import("./jump-dialog").then((module) => module.JumpDialog)),
);
const RejectDialog = dialogOnDemand(() =>
  import("./reject-dialog").then((module) => module.RejectDialog),
);
const MoveDialog = dialogOnDemand(() =>
  import("./move-dialog").then((module) => module.MoveDialog),
);
const RestoreQuestion = dialogOnDemand(() =>
  import("./restore-question").then((module) => module.RestoreQuestion),
);
const MeterDialog = dialogOnDemand(() =>
  import("./meter-dialog").then((module) => module.MeterDialog),
);

type Question = { update: OperatorUpdate } & (
  | { act: Exclude<Act, "apply" | "correct"> }
  | { act: "lower"; reading: number; fuel: FuelCorrection }
  /** `likely` is the reading that was probably meant, if the operator's own is to be applied. */
  | { act: "jump"; reading: number; likely?: number; fuel: FuelCorrection }
);

/** Maps a row action to a decision or to its dialog. */
export function useActs(decisions: Decisions, equipment: EquipmentById) {
  const [question, setQuestion] = useState<Question | null>(null);
  const [correcting, setCorrecting] = useState<string | null>(null);
  const isAboveEnd = useIsAboveEnd();

  const isLower = (update: OperatorUpdate, reading: number, before: number | undefined) => {
    const machine = equipment?.get(update.equipmentId);
    const meter = meterAbove(update, machine, reading);
    return meter !== null && meterAfter(reading, before, machine) < meter;
  };
  /**
   * Applies a value of the manager; asks first if it sets the meter back or raises it too much.
   * `before`: see `useMeterBefore`.
   */
  const correct = async (
    update: OperatorUpdate,
    correction: Correction,
    before: number | undefined,
  ): Promise<boolean> => {
    const { newUsage, ...fuel } = correction;
    if (newUsage === undefined) return apply(update, fuel);
    const machine = equipment?.get(update.equipmentId);
    const act = isLower(update, newUsage, before)
      ? "lower"
      : machine && isJump(update, machine, newUsage)
        ? "jump"
        : null;
    if (!act) return decisions.apply(update, correction);
    setQuestion({ act, update, reading: newUsage, fuel });
    return false;
  };
  const apply = async (update: OperatorUpdate, fuel: FuelCorrection = {}): Promise<boolean> => {
    const { newUsage } = update;
    const machine = equipment?.get(update.equipmentId);
    if (newUsage === undefined) return decisions.apply(update, fuel);
    if (!decisions.isBelow(update)) {
      const likely =
        machine && isJump(update, machine, newUsage) && computedReadings(update, machine)[0];
      if (!likely) return decisions.apply(update, fuel);
      setQuestion({ act: "jump", update, reading: newUsage, likely, fuel });
      return false;
    }
    // An accepted reading that is flagged as below another needs an explicit value.
    if (isLate(update, machine) || isBelowWaiting(update, machine)) {
      return decisions.apply(update, { newUsage, ...fuel });
    }
    setQuestion({ act: "lower", update, reading: newUsage, fuel });
    return false;
  };
  const act = (update: OperatorUpdate, what: Act) => {
    switch (what) {
      case "apply":
        return hasWrongUnit(update) || isAboveEnd(update, equipment?.get(update.equipmentId))
          ? setCorrecting(update.id)
          : void apply(update);
      case "correct":
        return setCorrecting(update.id);
      case "move":
      case "replaced":
      case "rolledOver":
      case "restore":
      case "reject":
        return setQuestion({ act: what, update });
    }
  };
  return {
    act,
    correct,
    correcting,
    stopCorrecting: () => setCorrecting(null),
    undo: (decided: Decided) => {
      setCorrecting((now) => (now === decided.update.id ? null : now));
      return decisions.undoDecided(decided);
    },
    question,
    close: () => setQuestion(null),
  };
}

export type Acts = ReturnType<typeof useActs>;

export function Questions({
  acts: { question, close },
  equipment,
  decisions,
  onClosed,
}: {
  acts: Acts;
  equipment: EquipmentById;
  decisions: Decisions;
  /** Called when a dialog has closed, to restore the focus. */
  onClosed?: () => void;
}) {
  if (!question) return null;
  const { update } = question;
  const onClose = () => {
    close();
    onClosed?.();
  };
  const shared = { update, decisions, onClose };
  const item = equipment?.get(update.equipmentId);
  switch (question.act) {
    case "reject":
      return <RejectDialog {...shared} />;
    case "restore":
      return <RestoreQuestion {...shared} />;
    case "move":
      return <MoveDialog {...shared} equipment={item} />;
    case "replaced":
    case "rolledOver":
      return <MeterDialog {...shared} equipment={item} initial={question.act} />;
    case "lower":
    case "jump": {
      const { reading, fuel } = question;
      // The operator's own reading is applied as reported, which refuses it if the meter has passed it.
      const isReported = question.act === "jump" && question.likely !== undefined;
      const given = {
        update,
        reading,
        onConfirm: () => {
          onClose();
          void decisions.apply(update, isReported ? fuel : { newUsage: reading, ...fuel });
        },
        onClose,
      };
      if (question.act === "lower") return <LowerDialog {...given} equipment={item} />;
      // The machine may be retired in the meantime.
      const onCorrect = (newUsage: number) => {
        onClose();
        void decisions.apply(update, { newUsage, ...fuel });
      };
      return item ? (
        <JumpDialog {...given} equipment={item} likely={question.likely} onCorrect={onCorrect} />
      ) : null;
    }
  }
}
