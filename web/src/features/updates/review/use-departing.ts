import { useEffect, useState } from "react";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";

/** The duration of a row's closing animation. */
const leaveMs = 220;
/** More departing rows than this are not animated. */
const maxAnimated = 12;

/** Updates that just left the list, during the closing animation of their rows. */
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
