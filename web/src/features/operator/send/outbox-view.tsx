import { useEffect } from "react";
import { useSessionEnded } from "#/session/state";
import { LeaveQuestion } from "./leave-question";
import type { Outbox } from "./outbox";
import { OutboxBar } from "./outbox-bar";
import { sendForPeople } from "./phone-outbox";
import { useOutboxState } from "./use-outbox";

/**
 * Shows the number of unsent updates and the blocker below the header, asks before a logout with
 * unsent updates, and sends the entries of the other people of an enrolled phone.
 */
export function OutboxView({ outbox, userId }: { outbox: Outbox; userId: string }) {
  const state = useOutboxState(outbox);
  const ended = useSessionEnded();
  useEffect(() => sendForPeople(userId), [userId]);
  const unknown = state.loaded && !state.listed;
  const showsBar = ended || unknown || state.resting.length > 0 || state.unreadable > 0;
  return (
    <>
      <div role="status" className="no-print sticky top-14 z-20">
        {showsBar && <OutboxBar outbox={outbox} state={state} />}
      </div>
      <LeaveQuestion unsent={state.entries.length} unknown={unknown} />
    </>
  );
}
