import { RestError } from "#/api/failure";
import { TaskSetChangeKind, TaskSetMode } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import type { TaskSetResult } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import type { Undo } from "../dialogs/use-undo-changes";
import { applySet } from "./queries";
import { changesMachine } from "./result-list";

/**
 * Takes a set and the tasks that it has added from machines that did not have it before. Null if the
 * application also changed tasks of others, whose former values are not known.
 */
export function undoAssignment(setId: string, results: readonly TaskSetResult[]): Undo | null {
  const assigned = results.filter(({ ok, assigned: before }) => ok && !before);
  const others = results.filter((result) => result.assigned && changesMachine(result));
  if (assigned.length === 0 || others.length > 0) return null;
  const keeps = assigned.flatMap(({ equipmentId, changes }) =>
    changes.flatMap(({ kind, taskId }) =>
      kind === TaskSetChangeKind.ADDED || taskId === "" ? [] : { equipmentId, taskId },
    ),
  );
  const machines = assigned.map(({ equipmentId }) => equipmentId);
  return async (transport) => {
    const refused: TaskSetResult[] = [];
    await applySet(
      transport,
      { id: setId, name: "" },
      machines,
      TaskSetMode.REMOVE,
      { keeps },
      (part) => refused.push(...part.filter(({ ok }) => !ok)),
    );
    const [first] = refused;
    if (first) throw toError(first);
    return 0;
  };
}

/** As a refused call, so that its reason has a text in the person's language. */
function toError({ code: textCode, message, parameters }: TaskSetResult): RestError {
  return new RestError(409, JSON.stringify({ message, textCode, parameters }));
}
