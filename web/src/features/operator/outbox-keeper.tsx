import { CloudUpload, TriangleAlert } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { registerLogoutGuard } from "#/api/logout-guard";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Button } from "#/shared/ui/button";
import { useOutbox, useOutboxState } from "./use-outbox";

/**
 * Stands under the header on every page of an operator: sends what waits, keeps the count of unsent
 * updates on screen in words, and asks before logging out with some left.
 */
export function OutboxKeeper({ userId }: { userId: string }) {
  const { t } = useTranslation();
  const outbox = useOutbox(userId);
  const { entries, resting, durable } = useOutboxState(outbox);
  const [sending, setSending] = useState(false);
  useEffect(() => outbox.start(), [outbox]);
  const waiting = resting.filter((entry) => entry.state === "waiting").length;
  const refused = resting.length - waiting;

  const sendNow = async () => {
    setSending(true);
    await outbox.flush();
    setSending(false);
  };
  return (
    <>
      <div role="status" className="no-print sticky top-14 z-20">
        {resting.length > 0 && (
          <div data-unsent-bar className="border-b border-line bg-accent-soft">
            <div className="mx-auto flex min-h-12 max-w-(--container-page) items-center gap-3 px-4 py-1 lg:px-6">
              <div className="min-w-0 flex-1 text-sm font-semibold">
                {waiting > 0 && (
                  <p className="flex items-center gap-2">
                    <CloudUpload aria-hidden className="size-4 shrink-0" />
                    {t("operator.outbox.waiting", { count: waiting })}
                  </p>
                )}
                {refused > 0 && (
                  <p className="flex items-center gap-2 text-danger">
                    <TriangleAlert aria-hidden className="size-4 shrink-0" />
                    {t("operator.outbox.refused", { count: refused })}
                  </p>
                )}
                {!durable && waiting > 0 && (
                  <p className="font-normal">{t("operator.outbox.notStored")}</p>
                )}
              </div>
              {waiting > 0 && (
                <Button
                  size="small"
                  onClick={() => void sendNow()}
                  pending={sending}
                  pendingLabel={t("operator.outbox.sending")}
                >
                  {t("operator.outbox.sendNow")}
                </Button>
              )}
            </div>
          </div>
        )}
      </div>
      <LeaveQuestion unsent={entries.length} />
    </>
  );
}

/** Logging out keeps unsent updates on the device, but the person should know. */
function LeaveQuestion({ unsent }: { unsent: number }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const answer = useRef<(leave: boolean) => void>(undefined);
  useEffect(() => {
    if (unsent === 0) return;
    return registerLogoutGuard(() => {
      setOpen(true);
      return new Promise((resolve) => {
        answer.current = resolve;
      });
    });
  }, [unsent]);
  const close = (leave: boolean) => {
    setOpen(false);
    answer.current?.(leave);
  };
  return (
    <AlertDialog
      open={open}
      onOpenChange={(next) => {
        if (!next) close(false);
      }}
      title={t("operator.outbox.leaveTitle")}
      description={t("operator.outbox.leaveText", { count: unsent })}
      confirmLabel={t("operator.outbox.leave")}
      onConfirm={() => close(true)}
    />
  );
}
