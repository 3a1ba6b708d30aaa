import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import i18next from "i18next";
import type { EntryOwner } from "#/device/entries";
import { askWhoIsThere } from "#/session/first-session";
import { checkSession, sessionQuery, type User } from "#/session/session";
import { sessionEnded } from "#/session/session-end";
import { personName } from "#/domain/person";
import { useStore } from "#/shared/store";
import { toast } from "#/shared/toast/store";
import { askToPersist } from "./device-state";
import { atTrueTime, needsServerTime } from "./capture-clock";
import { createEntryStore } from "./entry-store";
import { refresh } from "../offline-data/kept-query";
import { metersKey } from "../offline-data/meters";
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
import { judge, sendUpdate } from "./send-update";
import { perPerson, type PersonTools } from "../offline-data/per-person";
import { tabChannel } from "./tab-channel";

const outboxOf = perPerson(makeOutbox, (outbox) => {
  const { durable, entries } = outbox.state.get();
  return !durable && entries.length > 0;
});

/** The one outbox of a person on this page. */
export function useOutbox(userId: string): Outbox {
  const client = useQueryClient();
  return outboxOf({ client, userId });
}

export const useOutboxState = (outbox: Outbox): OutboxState => useStore(outbox.state);

/** So long after the last one that was sent, what became of them all is asked for. */
const quietMs = 1_000;

function makeOutbox(tools: PersonTools): Outbox {
  const { client, userId } = tools;
  const name = `hourmeter-outbox-${userId}`;
  const { announce, onChange } = tabChannel(name, idIn);
  const told = teller(tools);
  return createOutbox({
    store: createEntryStore(ownerOf(client, userId)),
    withLock: (work) => withSendLock(name, work),
    tabs: { announce, onChange },
    send: async (entry, amend) => {
      const hindrance = needsServerTime(entry) ? await serverTime() : null;
      if (hindrance) return hindrance;
      const amended = atTrueTime(entry);
      if (amended) await amend(amended);
      const result = await sendUpdate({ ...entry, ...amended }, userId);
      const isRefused = result.kind === "blocked" && result.by === "session";
      // An ended session that takes an entry was renewed in another tab.
      if (isRefused || (result.kind === "sent" && sessionEnded())) checkSession(client);
      return result;
    },
    onStored: () => void askToPersist(),
    onSettled: told,
  });
}

const idIn = (data: unknown) => (typeof data === "string" ? data : null);

function ownerOf(client: QueryClient, userId: string): EntryOwner {
  const user = client.getQueryData<User | null>(sessionQuery.queryKey);
  if (user?.id !== userId) return { userId, username: null, name: null };
  return { userId, username: user.operatorUsername ?? user.businessName, name: personName(user) };
}

/**
 * An answer of the server has its time, by which an entry of this page is dated. Returns what keeps
 * the entry from being sent when there is none.
 */
async function serverTime(): Promise<SendResult | null> {
  try {
    await askWhoIsThere();
    return null;
  } catch (error) {
    const result = judge(error);
    // Whatever is wrong with this question is not the entry's fault.
    return result.kind === "blocked" ? result : { kind: "blocked", by: "server", retryAfter: null };
  }
}

/** Tells the person and the lists what became of entries. */
function teller(tools: PersonTools) {
  const { client, userId } = tools;
  let unasked = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const afterwards = () => {
    if (unasked > 1) {
      const text = i18next.t("device.submittedMany", { count: unasked });
      toast.success(i18next.t("operator.toast.submitted"), text);
    }
    unasked = 0;
    void refresh(client, historyKey(userId));
    void refresh(client, metersKey(userId));
  };
  return (entry: OutboxEntry, outcome: Settled, awaited: boolean): Promise<void> | void => {
    if (outcome.kind === "refused") {
      toast.failure(i18next.t("operator.toast.failed"), outcome.reason);
      return;
    }
    const { update } = outcome;
    clearTimeout(timer);
    timer = setTimeout(afterwards, quietMs);
    unasked += awaited ? 0 : 1;
    // A long queue tells of itself once, at the end.
    if (unasked <= 1) {
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
    return putUpdate(tools, update);
  };
}
