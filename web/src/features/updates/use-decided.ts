import { useEffect, useRef, useState } from "react";
import type {
  OperatorUpdate,
  UndoableDecision,
  UpdateStatus,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { useHeldWhilePressed } from "./use-held-while-pressed";

/**
 * How long decided rows stay after the last decision: none moves under the pointer, and there is time
 * to undo it.
 */
const staysMs = 20_000;

/** A decision of this page whose row is still shown. */
export interface Decided {
  /** As it was listed. */
  update: OperatorUpdate;
  /** After the decision. */
  now: OperatorUpdate | undefined;
  decision: UndoableDecision;
  /** The end of the offer to undo it, in milliseconds. */
  undoUntil: number;
}

const none: ReadonlyMap<string, Decided> = new Map();

/** The rows decided last, by id of the update. They all leave together. */
export function useDecided() {
  const [decided, setDecided] = useState(none);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const stay = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setDecided(none), staysMs);
  };
  return {
    rows: useHeldWhilePressed(decided),
    stay,
    add: (entry: Decided) => {
      stay();
      setDecided((last) => new Map(last).set(entry.update.id, entry));
    },
    remove: (id: string) =>
      setDecided((last) => new Map([...last].filter(([each]) => each !== id))),
  };
}

/** The listed updates, and those in this state that were just decided. */
export function withDecided(
  updates: readonly OperatorUpdate[],
  decided: ReadonlyMap<string, Decided>,
  status: UpdateStatus,
): readonly OperatorUpdate[] {
  const kept = [...decided.values()].map(({ update }) => update);
  const ofList = kept.filter((update) => update.status === status);
  return ofList.length === 0
    ? updates
    : [...updates.filter(({ id }) => !decided.has(id)), ...ofList];
}
