import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { EquipmentName } from "../equipment-name";
import type { useEquipmentById } from "../queries";
import type { Decisions } from "../use-decisions";
import { Entry } from "./entry";
import type { useActs } from "./questions";

/** An update to decide on, with the name of its machine. */
export function NamedEntry({
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
  return (
    <Entry
      title={
        <p className="font-semibold">
          <EquipmentName update={update} exists={equipment?.has(update.equipmentId) ?? false} />
        </p>
      }
      update={update}
      equipment={equipment?.get(update.equipmentId)}
      below={decisions.isBelow(update)}
      busy={decisions.isBusy(update.id) || update.applying}
      blocked={blocked}
      problem={decisions.problemOf(update.id)}
      correcting={acts.correcting === update.id}
      onAct={(act) => acts.act(update, act)}
      onCorrect={(reading) => acts.correct(update, reading)}
      onLeave={acts.stopCorrecting}
      decided={decisions.decided.get(update.id)}
      onUndo={(decided) => void acts.undo(decided)}
    />
  );
}
