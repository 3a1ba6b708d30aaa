import { useEffect, useState } from "react";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";

/** As long as a row takes to close. */
const leaveMs = 220;
/** More departing rows than this are not animated. */
const maxAnimated = 12;

/** Updates that have just gone from the list, for as long as their rows need to leave the screen. */
export function useDeparting(updates: readonly OperatorUpdate[]): readonly OperatorUpdate[] {
  const [last, setLast] = useState({ updates, departed: [] as readonly OperatorUpdate[] });
  if (last.updates !== updates) {
    const remaining = new Set(updates.map((update) => update.id));
    const departed = [...last.updates, ...last.departed].filter(
      (update) => !remaining.has(update.id),
    );
    setLast({ updates, departed: departed.length <= maxAnimated ? departed : [] });
  }
  const { departed } = last;
  useEffect(() => {
    if (departed.length === 0) return undefined;
    const timer = setTimeout(() => setLast((now) => ({ ...now, departed: [] })), leaveMs);
    return () => clearTimeout(timer);
  }, [departed]);
  return departed;
}
