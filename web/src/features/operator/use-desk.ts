import { useMemo } from "react";
import { usePins } from "./picker/device-pins";
import { closeAtHand } from "./picker/find-machines";
import { lastKnown, ownReports, type LastKnown, type OwnReport } from "./offline-data/last-known";
import { useMeters, type FieldMeter, type Meters } from "./offline-data/meters";
import type { Outbox } from "./send/outbox";
import { useOwnHistory, type OwnHistory } from "./offline-data/own-history";
import { useOutboxState } from "./send/use-outbox";

/** All that the screen of an operator knows, from this phone and from the server. */
export interface Desk {
  outbox: Outbox;
  list: Meters;
  history: OwnHistory;
  meterOf: (equipmentId: string) => FieldMeter | undefined;
  lastOf: (meter: FieldMeter) => LastKnown;
  /** What the person reported, oldest first. */
  reports: readonly OwnReport[];
  /** Machines pinned or used lately, in the order in which they are offered. */
  atHand: readonly FieldMeter[];
  isPinned: (equipmentId: string) => boolean;
  togglePin: (equipmentId: string) => void;
}

/** Whether there is a list of machines, however old. */
export const isListed = ({ list }: Desk) => list.syncedAt !== null;

export function useDesk(outbox: Outbox): Desk {
  const list = useMeters();
  const history = useOwnHistory();
  const { pins, toggle } = usePins();
  const { entries } = useOutboxState(outbox);
  const { meters } = list;
  const { updates } = history;
  const reports = useMemo(() => ownReports(entries, updates), [entries, updates]);
  const byId = useMemo(() => new Map(meters.map((meter) => [meter.equipmentId, meter])), [meters]);
  const atHand = useMemo(() => {
    const newestFirst = reports.map((report) => report.equipmentId).toReversed();
    return closeAtHand(meters, pins, newestFirst);
  }, [meters, pins, reports]);
  return {
    outbox,
    list,
    history,
    meterOf: (equipmentId) => byId.get(equipmentId),
    lastOf: (meter) => lastKnown(meter, reports),
    reports,
    atHand,
    isPinned: (equipmentId) => pins.includes(equipmentId),
    togglePin: toggle,
  };
}
