import { useEffect, useRef } from "react";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { numberedName } from "#/shared/words/numbered-name";
import { EquipmentName } from "../equipment-name";
import type { useEquipmentById } from "../queries";
import type { Decisions } from "../use-decisions";
import { WaitingUpdate } from "./waiting-update";
import { mayOnlyMove } from "./fixes";
import type { useActs } from "./questions";
import { dialogFocusDelayMs, isLost, rowId } from "./use-active-row";

/** An update to decide on, with the name of its machine. */
export function NamedUpdate({
  update,
  equipment,
  decisions,
  acts,
  blocked,
}: {
  update: OperatorUpdate;
  equipment: ReturnType<typeof useEquipmentById>;
  decisions: Decisions;
  acts: ReturnType<typeof useActs>;
  blocked: string | undefined;
}) {
  const item = equipment?.get(update.equipmentId);
  const decided = decisions.decided.get(update.id);
  const row = useKeptFocus(decided !== undefined);
  return (
    <div
      ref={row}
      id={rowId(update.id)}
      role="group"
      tabIndex={-1}
      aria-label={numberedName(update.equipmentName, item)}
      className="-outline-offset-2"
    >
      <WaitingUpdate
        title={
          <p className="font-semibold">
            <EquipmentName update={update} equipment={item} />
          </p>
        }
        update={update}
        equipment={item}
        onlyMove={mayOnlyMove(update, equipment)}
        below={decisions.isBelow(update)}
        busy={decisions.isBusy(update.id) || update.applying}
        blocked={blocked}
        problem={decisions.problemOf(update.id)}
        correcting={acts.correcting === update.id}
        onAct={(act) => acts.act(update, act)}
        onCorrect={(correction, before) => acts.correct(update, correction, before)}
        onLeave={acts.stopCorrecting}
        decided={decided}
        onUndo={(each) => void acts.undo(each)}
      />
    </div>
  );
}

/** The element that receives the focus when a decision or an undo removes the focused control. */
function useKeptFocus(isDecided: boolean) {
  const row = useRef<HTMLDivElement>(null);
  const last = useRef(isDecided);
  useEffect(() => {
    if (last.current === isDecided) return undefined;
    last.current = isDecided;
    // Not the undo button: a held Enter would press it.
    const enter = () => {
      if (isLost(document.activeElement)) row.current?.focus({ preventScroll: true });
    };
    enter();
    const timer = setTimeout(enter, dialogFocusDelayMs);
    return () => clearTimeout(timer);
  }, [isDecided]);
  return row;
}
