import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { compareNames } from "#/domain/names";
import { isFlagged } from "../flags";

/** The waiting updates of one machine, by capture time. */
export interface Machine {
  equipmentId: string;
  /** The name in its newest update. */
  name: string;
  updates: readonly OperatorUpdate[];
}

/**
 * Machines with flagged updates first, then by name. `kept` machines stay in front after their
 * flagged updates were decided, so that the list does not jump.
 */
export function byMachine(
  updates: readonly OperatorUpdate[],
  kept: ReadonlySet<string> = new Set(),
): Machine[] {
  const groups = Map.groupBy(updates, (update) => update.equipmentId);
  const machines = [...groups].map(([equipmentId, group]): Machine => {
    const sorted = inOrder(group);
    return { equipmentId, name: sorted.at(-1)?.equipmentName ?? "", updates: sorted };
  });
  const inFront = ({ equipmentId, updates }: Machine) =>
    kept.has(equipmentId) || updates.some(isFlagged);
  return machines.toSorted(
    (one, other) =>
      Number(inFront(other)) - Number(inFront(one)) ||
      compareNames(one.name, other.name) ||
      one.equipmentId.localeCompare(other.equipmentId),
  );
}

/** By capture time, so that none makes another one late. */
export function inOrder(updates: readonly OperatorUpdate[]): OperatorUpdate[] {
  return updates.toSorted(
    (one, other) => capturedMs(one) - capturedMs(other) || one.id.localeCompare(other.id),
  );
}

function capturedMs({ capturedAt, createdAt }: OperatorUpdate): number {
  const when = capturedAt ?? createdAt;
  return when ? timestampMs(when) : 0;
}

/** The updates that can be applied in bulk. */
export function unflaggedIds(updates: readonly OperatorUpdate[]): string[] {
  return updates.filter((update) => !isFlagged(update) && !update.applying).map(({ id }) => id);
}

/** The first machines, cut after `most` updates. */
export function firstRows(machines: readonly Machine[], maxRows: number): Machine[] {
  const shown: Machine[] = [];
  let left = maxRows;
  for (const machine of machines) {
    if (left <= 0) break;
    const updates = machine.updates.slice(0, left);
    shown.push(updates.length < machine.updates.length ? { ...machine, updates } : machine);
    left -= updates.length;
  }
  return shown;
}
