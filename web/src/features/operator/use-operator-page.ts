import { useMemo } from "react";
import { usePins } from "./picker/device-pins";
import { quickMachinesOf } from "./picker/quick-machines-of";
import { lastKnown, ownReports, type LastKnown, type OwnReport } from "./offline-data/last-known";
import { useMachines, type FieldMachine, type Machines } from "./offline-data/machines";
import type { Outbox } from "./send/outbox";
import { useOwnHistory, type OwnHistory } from "./offline-data/own-history";
import { useOutboxState } from "./send/outbox-state";

/** Data of the operator page, from this device and from the server. */
export interface OperatorPageState {
  outbox: Outbox;
  list: Machines;
  history: OwnHistory;
  machineOf: (equipmentId: string) => FieldMachine | undefined;
  lastOf: (machine: FieldMachine) => LastKnown;
  /** The user's own reports, oldest first. */
  reports: readonly OwnReport[];
  /** Pinned and recently used machines, in display order. */
  quickMachines: readonly FieldMachine[];
  isPinned: (equipmentId: string) => boolean;
  togglePin: (equipmentId: string) => void;
}

/** Whether a list of machines is available, current or cached. */
export const isListed = ({ list }: OperatorPageState) => list.syncedAt !== null;

export function useOperatorPage(outbox: Outbox): OperatorPageState {
  const list = useMachines();
  const history = useOwnHistory();
  const { pins, toggle } = usePins();
  const { entries } = useOutboxState(outbox);
  const { machines } = list;
  const { updates } = history;
  const reports = useMemo(() => ownReports(entries, updates), [entries, updates]);
  const byId = useMemo(
    () => new Map(machines.map((machine) => [machine.equipmentId, machine])),
    [machines],
  );
  const quickMachines = useMemo(() => {
    // Rejected reports too: that machine must be reported again.
    const newestFirst = [...entries.toReversed(), ...updates].map((each) => each.equipmentId);
    return quickMachinesOf(machines, pins, newestFirst);
  }, [machines, pins, entries, updates]);
  return {
    outbox,
    list,
    history,
    machineOf: (equipmentId) => byId.get(equipmentId),
    lastOf: (machine) => lastKnown(machine, reports),
    reports,
    quickMachines,
    isPinned: (equipmentId) => pins.includes(equipmentId),
    togglePin: toggle,
  };
}
