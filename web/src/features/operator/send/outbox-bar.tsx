import { CloudUpload, KeyRound, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { dispatch, useSessionEnded, useSessionState } from "#/session/state";
import { key, type TextKey } from "#/i18n/key";
import { Button } from "#/shared/ui/button";
import { useSecondsTo } from "../offline-data/sync-countdown";
import type { Outbox, OutboxState, SendBlocker } from "./outbox";

/** The number of unsent updates, why they are not sent, and the way back to a session. */
export function OutboxBar({ outbox, state }: { outbox: Outbox; state: OutboxState }) {
  const { t } = useTranslation();
  const ended = useSessionEnded();
  const byPin = useSessionState(({ status }) => status === "pin");
  const waiting = state.resting.some((entry) => entry.state === "waiting");
  return (
    <div
      className="border-b border-line bg-accent-soft"
      {...(ended && { role: "region", "aria-labelledby": "sign-in-again" })}
    >
      <div className="mx-auto flex min-h-12 max-w-(--container-page) items-center gap-3 px-4 py-1.5 lg:px-6">
        <div className="min-w-0 flex-1 text-sm">
          {ended && (
            <>
              <h2 id="sign-in-again" className="flex items-center gap-2 font-semibold">
                <KeyRound aria-hidden className="size-4 shrink-0" />
                {byPin ? t("device.byPin.title") : t("device.session.title")}
              </h2>
              <p>{byPin ? t("device.byPin.text") : t("device.session.text")}</p>
            </>
          )}
          <Unsent state={state} ended={ended} />
        </div>
        {ended ? (
          <Button variant="primary" onClick={() => dispatch({ type: "signInShown", open: true })}>
            {t("device.session.signIn")}
          </Button>
        ) : (
          waiting && <SendNow outbox={outbox} />
        )}
      </div>
    </div>
  );
}

function Unsent({
  state: { resting, durable, listed, loaded, unreadable, blockedBy, nextTryAt },
  ended,
}: {
  state: OutboxState;
  ended: boolean;
}) {
  const { t } = useTranslation();
  const waiting = resting.filter((entry) => entry.state === "waiting").length;
  const refused = resting.length - waiting;
  const unknown = loaded && !listed;
  if (resting.length + unreadable === 0 && !unknown) return null;
  return (
    <div data-unsent-bar>
      {waiting > 0 && (
        <p className="flex items-center gap-2 font-semibold">
          <CloudUpload aria-hidden className="size-4 shrink-0" />
          {t("operator.outbox.waiting", { count: waiting })}
        </p>
      )}
      {waiting > 0 && durable && !ended && <BlockerText by={blockedBy} nextTryAt={nextTryAt} />}
      {!durable && waiting > 0 && <p>{t("device.notKept")}</p>}
      {refused > 0 && (
        <p className="flex items-center gap-2 font-semibold text-danger">
          <TriangleAlert aria-hidden className="size-4 shrink-0" />
          {t("operator.outbox.refused", { count: refused })}
        </p>
      )}
      {unknown && <p>{t("device.notRead")}</p>}
      {unreadable > 0 && <p>{t("device.unreadable", { count: unreadable })}</p>}
    </div>
  );
}

/** The countdown is hidden from screen readers. */
function BlockerText({ by, nextTryAt }: { by: SendBlocker | null; nextTryAt: Date | null }) {
  const { t } = useTranslation();
  const seconds = useSecondsTo(nextTryAt);
  const text = by && blockerText(by);
  return (
    <p>
      {text && t(text)}{" "}
      {seconds !== null && <span aria-hidden>{t("device.nextTry", { seconds })}</span>}
    </p>
  );
}

/** Null when the sign-in panel already explains it. */
function blockerText(by: SendBlocker): TextKey | null {
  switch (by) {
    case "offline":
      return key("device.blocked.offline");
    case "server":
      return key("device.blocked.server");
    case "limit":
      return key("device.blocked.limit");
    case "session":
      return null;
  }
}

function SendNow({ outbox }: { outbox: Outbox }) {
  const { t } = useTranslation();
  const [sending, setSending] = useState(false);
  const sendNow = async () => {
    setSending(true);
    await outbox.sendNow();
    setSending(false);
  };
  return (
    <Button
      size="small"
      onClick={() => void sendNow()}
      pending={sending}
      pendingLabel={t("operator.outbox.sending")}
    >
      {t("operator.outbox.sendNow")}
    </Button>
  );
}
