import { useMemo, useState } from "react";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { isFlagged } from "../flags";
import { byMachine, type Machine } from "./machines";
import { useDeparting } from "./use-departing";

/** The machines as they are listed, with the rows that are just leaving. */
export function useMachines(updates: readonly OperatorUpdate[]) {
  const [seen, setSeen] = useState({ updates, kept: flaggedMachines(updates) });
  if (seen.updates !== updates) {
    const kept = new Set([...seen.kept, ...flaggedMachines(updates)]);
    setSeen({ updates, kept });
  }
  const departing = useDeparting(updates);
  const { kept } = seen;
  const machines = useMemo<Machine[]>(
    () => byMachine([...updates, ...departing], kept),
    [updates, departing, kept],
  );
  const leaving = useMemo(() => new Set(departing.map(({ id }) => id)), [departing]);
  return { machines, leaving };
}

function flaggedMachines(updates: readonly OperatorUpdate[]): ReadonlySet<string> {
  return new Set(updates.filter(isFlagged).map((update) => update.equipmentId));
}
