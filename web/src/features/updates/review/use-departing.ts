import { useEffect, useState } from "react";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";

/** As long as a row takes to close. */
const shownFor = 220;
/** More departing rows than this are not animated. */
const mostMoving = 12;

/** Updates that have just gone from the list, for as long as their rows need to leave the screen. */
export function useDeparting(updates: readonly OperatorUpdate[]): readonly OperatorUpdate[] {
  const [last, setLast] = useState({ updates, gone: [] as readonly OperatorUpdate[] });
  if (last.updates !== updates) {
    const stay = new Set(updates.map((update) => update.id));
    const gone = [...last.updates, ...last.gone].filter((update) => !stay.has(update.id));
    setLast({ updates, gone: gone.length <= mostMoving ? gone : [] });
  }
  const { gone } = last;
  useEffect(() => {
    if (gone.length === 0) return undefined;
    const timer = setTimeout(() => setLast((now) => ({ ...now, gone: [] })), shownFor);
    return () => clearTimeout(timer);
  }, [gone]);
  return gone;
}
