import { useState } from "react";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import type { EquipmentById } from "../queries";
import { hasWrongUnit } from "../flags";
import type { Decisions } from "../use-decisions";
import type { Act } from "./fixes";

const RejectDialog = dialogOnDemand(() =>
  import("./reject-dialog").then((module) => module.RejectDialog),
);
const MoveDialog = dialogOnDemand(() =>
  import("./move-dialog").then((module) => module.MoveDialog),
);
const MeterDialog = dialogOnDemand(() =>
  import("./meter-dialog").then((module) => module.MeterDialog),
);

interface Question {
  act: Exclude<Act, "apply" | "correct">;
  update: OperatorUpdate;
}

/** Maps a row action to a decision or to its dialog. */
export function useActs(decisions: Decisions) {
  const [question, setQuestion] = useState<Question | null>(null);
  const [correcting, setCorrecting] = useState<string | null>(null);
  const act = (update: OperatorUpdate, what: Act) => {
    switch (what) {
      case "apply":
        if (hasWrongUnit(update)) return setCorrecting(update.id);
        // An accepted reading below the meter needs an explicit new meter value.
        return void decisions.apply(
          update,
          decisions.isBelow(update) && update.newUsage !== undefined
            ? { newUsage: update.newUsage }
            : {},
        );
      case "correct":
        return setCorrecting(update.id);
      case "move":
      case "replaced":
      case "rolledOver":
      case "reject":
        return setQuestion({ act: what, update });
    }
  };
  const correct = async (update: OperatorUpdate, newUsage: number): Promise<boolean> => {
    const done = await decisions.apply(update, { newUsage });
    if (done) setCorrecting((now) => (now === update.id ? null : now));
    return done;
  };
  return {
    act,
    correct,
    correcting,
    stopCorrecting: () => setCorrecting(null),
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
  const { update, act } = question;
  const onClose = () => {
    close();
    onClosed?.();
  };
  const shared = { update, decisions, onClose };
  const item = equipment?.get(update.equipmentId);
  switch (act) {
    case "reject":
      return <RejectDialog {...shared} />;
    case "move":
      return <MoveDialog {...shared} equipment={item} />;
    case "replaced":
    case "rolledOver":
      return <MeterDialog {...shared} equipment={item} initial={act} />;
  }
}
