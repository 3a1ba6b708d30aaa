import { CloudUpload, KeyRound, TriangleAlert } from "lucide-react";
import { Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { registerLogoutGuard } from "#/session/logout-guard";
import { dispatch, useSessionEnded } from "#/session/state";
import { key, type TextKey } from "#/i18n/key";
import { Button } from "#/shared/ui/button";
import { LeaveDialog, LiveSync } from "../lazy-parts";
import type { SendBlocker, Outbox, OutboxState } from "./outbox";
import { useSecondsTo } from "../offline-data/sync-countdown";
import { useLogoutElsewhere } from "./use-logout-elsewhere";
import { useOutbox, useOutboxState } from "./use-outbox";

/**
 * Sends waiting entries on every operator page, shows the number of unsent updates and the blocker
 * below the header, and asks before a logout with unsent updates.
 */
export function OutboxKeeper({ userId }: { userId: string }) {
  const outbox = useOutbox(userId);
  const state = useOutboxState(outbox);
  const ended = useSessionEnded();
  useLogoutElsewhere();
  useEffect(() => outbox.start(), [outbox]);
  // Resume sending after a new sign-in.
  useEffect(() => {
    if (!ended) void outbox.flush();
  }, [ended, outbox]);
  const unknown = state.loaded && !state.listed;
  const showsBar = ended || unknown || state.resting.length > 0 || state.unreadable > 0;
  return (
    <>
      <div role="status" className="no-print sticky top-14 z-20">
        {showsBar && <Bar outbox={outbox} state={state} ended={ended} />}
      </div>
      <Suspense>
        <LiveSync />
      </Suspense>
      <LeaveQuestion unsent={state.entries.length} unknown={unknown} />
    </>
  );
}

function Bar({ outbox, state, ended }: { outbox: Outbox; state: OutboxState; ended: boolean }) {
  const { t } = useTranslation();
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
                {t("device.session.title")}
              </h2>
              <p>{t("device.session.text")}</p>
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

/** A logout keeps unsent updates on the device, but the user has to confirm it. */
function LeaveQuestion({ unsent, unknown }: { unsent: number; unknown: boolean }) {
  const [open, setOpen] = useState(false);
  const answer = useRef<(leave: boolean) => void>(undefined);
  const asks = unsent > 0 || unknown;
  useEffect(() => {
    if (!asks) return;
    return registerLogoutGuard(() => {
      setOpen(true);
      return new Promise((resolve) => {
        answer.current = resolve;
      });
    });
  }, [asks]);
  const close = (leave: boolean) => {
    setOpen(false);
    answer.current?.(leave);
  };
  return (
    <Suspense>{asks && <LeaveDialog open={open} unsent={unsent} onAnswer={close} />}</Suspense>
  );
}
