import { useQueryClient } from "@tanstack/react-query";
import i18next from "i18next";
import type { EntryOwner } from "#/device/entries";
import { requestSession } from "#/session/first-session";
import { checkSession } from "#/session/session";
import { getSession } from "#/session/state";
import { personName } from "#/domain/person";
import { useStore } from "#/shared/store";
import { toast } from "#/shared/toast/store";
import { askToPersist } from "./device-state";
import { atTrueTime, needsServerTime } from "./capture-clock";
import { createEntryStore } from "./entry-store";
import { refresh } from "../offline-data/cached-query";
import { machinesKey } from "../offline-data/machines";
import {
  createOutbox,
  type Outbox,
  type OutboxState,
  type SendResult,
  type Settled,
} from "./outbox";
import type { OutboxEntry } from "./outbox-entry";
import { historyKey, putUpdate } from "../offline-data/own-history";
import { withSendLock } from "./send-lock";
import { toSendResult, sendUpdate } from "./send-update";
import { perUserSingleton, type UserDeps } from "../offline-data/per-user";
import { tabChannel } from "./tab-channel";

const outboxOf = perUserSingleton(makeOutbox, (outbox) => {
  const { durable, entries } = outbox.state.get();
  return !durable && entries.length > 0;
});

export function useOutbox(userId: string): Outbox {
  const client = useQueryClient();
  return outboxOf({ client, userId });
}

export const useOutboxState = (outbox: Outbox): OutboxState => useStore(outbox.state);

/** Delay between the last sent entry and the refetch of the lists. */
const debounceMs = 1_000;

function makeOutbox(deps: UserDeps): Outbox {
  const { client, userId } = deps;
  const name = `hourmeter-outbox-${userId}`;
  const { announce, onChange } = tabChannel(name, readSendingId);
  const report = createReporter(deps);
  return createOutbox({
    store: createEntryStore(ownerOf(userId)),
    withLock: (work) => withSendLock(name, work),
    tabs: { announce, onChange },
    send: async (entry, amend) => {
      const blocker = needsServerTime(entry) ? await serverTime() : null;
      if (blocker) return blocker;
      const amended = atTrueTime(entry);
      if (amended) await amend(amended);
      const result = await sendUpdate({ ...entry, ...amended }, userId);
      const isRefused = result.kind === "blocked" && result.by === "session";
      // If the server accepts an entry after the session ended, another tab has signed in.
      const isEnded = getSession().status === "ended";
      if (isRefused || (result.kind === "sent" && isEnded)) checkSession(client);
      return result;
    },
    onStored: () => void askToPersist(),
    onSettled: report,
  });
}

const readSendingId = (data: unknown) => (typeof data === "string" ? data : null);

function ownerOf(userId: string): EntryOwner {
  const user = getSession().user;
  if (user?.id !== userId) return { userId, username: null, name: null };
  return { userId, username: user.operatorUsername ?? user.businessName, name: personName(user) };
}

/**
 * Learns the server's time from any response, to correct the capture time of an entry. Returns the
 * failure if there is no response.
 */
async function serverTime(): Promise<SendResult | null> {
  try {
    await requestSession();
    return null;
  } catch (error) {
    const result = toSendResult(error);
    // A failure of this request must not count as a failure of the entry.
    return result.kind === "blocked" ? result : { kind: "blocked", by: "server", retryAfter: null };
  }
}

/** Shows the outcome of entries as toasts and updates the lists. */
function createReporter(deps: UserDeps) {
  const { client, userId } = deps;
  let backgroundCount = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const finishBatch = () => {
    if (backgroundCount > 1) {
      const text = i18next.t("device.submittedMany", { count: backgroundCount });
      toast.success(i18next.t("operator.toast.submitted"), text);
    }
    backgroundCount = 0;
    void refresh(client, historyKey(userId));
    void refresh(client, machinesKey(userId));
  };
  return (entry: OutboxEntry, outcome: Settled, awaited: boolean): Promise<void> | void => {
    if (outcome.kind === "refused") {
      toast.failure(i18next.t("operator.toast.failed"), outcome.reason);
      return;
    }
    const { update } = outcome;
    clearTimeout(timer);
    timer = setTimeout(finishBatch, debounceMs);
    backgroundCount += awaited ? 0 : 1;
    // A long queue is summarized in one toast at the end.
    if (backgroundCount <= 1) {
      toast.success(
        i18next.t("operator.toast.submitted"),
        i18next.t(
          update.status === "recent"
            ? "operator.toast.appliedText"
            : "operator.toast.submittedText",
          { name: entry.equipmentName },
        ),
      );
    }
    return putUpdate(deps, update);
  };
}
