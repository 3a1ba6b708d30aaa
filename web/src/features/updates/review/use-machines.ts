import { useMemo, useState } from "react";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { isFlagged } from "../flags";
import { byMachine, type Machine } from "./machines";
import { useDeparting } from "./use-departing";

/** The listed machines, including departing rows. */
export function useMachines(updates: readonly OperatorUpdate[]) {
  const [last, setLast] = useState({ updates, flagged: flaggedMachines(updates) });
  if (last.updates !== updates) {
    const flagged = new Set([...last.flagged, ...flaggedMachines(updates)]);
    setLast({ updates, flagged });
  }
  const departing = useDeparting(updates);
  const { flagged } = last;
  const machines = useMemo<Machine[]>(
    () => byMachine([...updates, ...departing], flagged),
    [updates, departing, flagged],
  );
  const leaving = useMemo(() => new Set(departing.map(({ id }) => id)), [departing]);
  return { machines, leaving };
}

function flaggedMachines(updates: readonly OperatorUpdate[]): ReadonlySet<string> {
  return new Set(updates.filter(isFlagged).map((update) => update.equipmentId));
}
