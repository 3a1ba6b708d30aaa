import type { EntryOwner } from "#/device/entries";
import { requestSession } from "#/session/first-session";
import { atTrueTime, needsServerTime } from "./capture-clock";
import { createEntryStore } from "./entry-store";
import type { OutboxOptions, SendResult } from "./outbox";
import type { OutboxEntry } from "./outbox-entry";
import { withSendLock } from "./send-lock";
import { toSendResult } from "./send-update";
import { tabChannel } from "./tab-channel";

const readSendingId = (data: unknown) => (typeof data === "string" ? data : null);

/** The entries of one user on this device, which one tab at a time sends. */
export function deviceParts(owner: EntryOwner): Pick<OutboxOptions, "store" | "withLock" | "tabs"> {
  const name = `hourmeter-outbox-${owner.userId}`;
  return {
    store: createEntryStore(owner),
    withLock: (work) => withSendLock(name, work),
    tabs: tabChannel(name, readSendingId),
  };
}

/** Corrects an entry's capture time by the server's clock before it is sent. */
export function atServerTime(
  send: (entry: OutboxEntry) => Promise<SendResult>,
): OutboxOptions["send"] {
  return async (entry, amend) => {
    const blocker = needsServerTime(entry) ? await serverTime() : null;
    if (blocker) return blocker;
    const amended = atTrueTime(entry);
    if (amended) await amend(amended);
    return send({ ...entry, ...amended });
  };
}

/**
 * Learns the server's time from any response, to correct the capture time of an entry. Returns the
 * failure if there is no response.
 */
async function serverTime(): Promise<SendResult | null> {
  try {
    await requestSession({ anonymous: true });
    return null;
  } catch (error) {
    const result = toSendResult(error);
    // A failure of this request must not count as a failure of the entry.
    return result.kind === "blocked" ? result : { kind: "blocked", by: "server", retryAfter: null };
  }
}
