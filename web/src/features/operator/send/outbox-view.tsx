import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { onPinEnded } from "#/device/enrolment";
import { changeSession } from "#/session/session";
import { getSession, useSessionEnded } from "#/session/state";
import { keepContact } from "./contact";
import { LeaveQuestion } from "./leave-question";
import type { Outbox } from "./outbox";
import { OutboxBar } from "./outbox-bar";
import { sendForPeople } from "./phone-outbox";
import { useOutboxState } from "./outbox-state";

/**
 * Shows the number of unsent updates and the blocker below the header, asks before a logout with
 * unsent updates, and sends the entries of the other people of an enrolled phone.
 */
export function OutboxView({ outbox, userId }: { outbox: Outbox; userId: string }) {
  const state = useOutboxState(outbox);
  const ended = useSessionEnded();
  const client = useQueryClient();
  useEffect(() => sendForPeople(userId), [userId]);
  // Also after a new sign-in.
  useEffect(keepContact, [ended]);
  useEffect(
    () =>
      onPinEnded((userIds) => {
        const byPin = getSession().status === "pin";
        if (byPin && userIds.includes(userId)) void changeSession(client, null);
      }),
    [client, userId],
  );
  const unknown = state.loaded && !state.listed;
  const showsBar = ended || unknown || state.resting.length > 0 || state.unreadable > 0;
  return (
    <>
      <div role="status" className="no-print sticky top-14 z-20">
        {showsBar && <OutboxBar outbox={outbox} state={state} />}
      </div>
      <LeaveQuestion userId={userId} unsent={state.entries.length} unknown={unknown} />
    </>
  );
}
