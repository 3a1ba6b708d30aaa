import { useQueryClient } from "@tanstack/react-query";
import i18next from "i18next";
import type { EntryOwner } from "#/device/entries";
import { checkSession } from "#/session/session";
import { getSession } from "#/session/state";
import { personName } from "#/domain/person";
import { toast } from "#/shared/toast/store";
import { askToPersist } from "./device-state";
import { parts } from "../lazy-parts";
import { refresh } from "../offline-data/cached-query";
import { machinesKey } from "../offline-data/machines";
import { createOutbox, type Outbox, type SendResult, type Settled } from "./outbox";
import type { OutboxEntry } from "./outbox-entry";
import { historyKey, putUpdate } from "../offline-data/own-history";
import { atServerTime, deviceParts } from "./outbox-parts";
import { sendUpdate } from "./send-update";
import { perUserSingleton, type UserDeps } from "../offline-data/per-user";

const outboxOf = perUserSingleton(makeOutbox, (outbox) => {
  const { durable, entries } = outbox.state.get();
  return !durable && entries.length > 0;
});

export function useOutbox(userId: string): Outbox {
  const client = useQueryClient();
  return outboxOf({ client, userId });
}

/** Delay between the last sent entry and the refetch of the lists. */
const debounceMs = 1_000;

function makeOutbox(deps: UserDeps): Outbox {
  const { client, userId } = deps;
  return createOutbox({
    ...deviceParts(ownerOf(userId)),
    send: atServerTime(async (entry) => {
      // A user by PIN has no session.
      const byPin = getSession().status === "pin";
      const result = byPin ? noSession : await sendUpdate(entry, userId);
      const isRefused = result.kind === "blocked" && result.by === "session";
      // If the server accepts an entry after the session ended, another tab has signed in.
      const isEnded = getSession().status === "ended";
      if ((isRefused && !byPin) || (result.kind === "sent" && isEnded)) checkSession(client);
      if (!isRefused) return result;
      const { sendByDevice } = await parts();
      return (await sendByDevice(entry, userId)) ?? result;
    }),
    onStored: () => void askToPersist(),
    onSettled: createReporter(deps),
  });
}

const noSession: SendResult = { kind: "blocked", by: "session", retryAfter: null };

function ownerOf(userId: string): EntryOwner {
  const user = getSession().user;
  if (user?.id !== userId) return { userId, username: null, name: null };
  return { userId, username: user.operatorUsername ?? user.businessName, name: personName(user) };
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
    // The form shows a receipt. A long queue is summarized in one toast at the end.
    if (!awaited && backgroundCount <= 1) {
      toast.success(
        i18next.t("operator.toast.submitted"),
        i18next.t(
          update?.status === "recent"
            ? "operator.toast.appliedText"
            : "operator.toast.submittedText",
          { name: entry.equipmentName },
        ),
      );
    }
    if (update) return putUpdate(deps, update);
  };
}
