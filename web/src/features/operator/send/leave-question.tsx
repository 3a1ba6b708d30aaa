import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { senderIds } from "#/device/enrolled";
import { registerLogoutGuard } from "#/session/logout-guard";
import { AlertDialog } from "#/shared/ui/alert-dialog";

/**
 * A logout keeps unsent updates on the device, but the user has to confirm it. So does a user who
 * can't sign in again, because there is neither signal nor a PIN.
 */
export function LeaveQuestion({
  userId,
  unsent,
  unknown,
}: {
  userId: string;
  unsent: number;
  unknown: boolean;
}) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const [isSender, setIsSender] = useState(false);
  const answer = useRef<(leave: boolean) => void>(undefined);
  const asks = unsent > 0 || unknown;
  useEffect(
    () =>
      registerLogoutGuard(async () => {
        if (!asks && navigator.onLine) return true;
        // A phone that stores nothing has no PIN.
        const isEnrolled = (await senderIds().catch(() => [] as string[])).includes(userId);
        if (!asks && isEnrolled) return true;
        setIsSender(isEnrolled);
        setOpen(true);
        return new Promise((resolve) => {
          answer.current = resolve;
        });
      }),
    [asks, userId],
  );
  const close = (leave: boolean) => {
    setOpen(false);
    answer.current?.(leave);
  };
  if (asks) return <LeaveDialog open={open} unsent={unsent} isSender={isSender} onAnswer={close} />;
  return (
    <AlertDialog
      open={open}
      onOpenChange={(next) => {
        if (!next) close(false);
      }}
      title={t("phone.leave.title")}
      description={t("phone.leave.text")}
      confirmLabel={t("operator.outbox.leave")}
      onConfirm={() => close(true)}
    />
  );
}

/** Asks whether to log out while updates are unsent. `unsent` is 0 when the number is unknown. */
function LeaveDialog({
  open,
  unsent,
  isSender,
  onAnswer,
}: {
  open: boolean;
  unsent: number;
  /** The phone sends them without a sign-in. */
  isSender: boolean;
  onAnswer: (leave: boolean) => void;
}) {
  const { t } = useTranslation();
  return (
    <AlertDialog
      open={open}
      onOpenChange={(next) => {
        if (!next) onAnswer(false);
      }}
      title={t("operator.outbox.leaveTitle")}
      description={
        unsent === 0
          ? t("operator.outbox.leaveUnknown")
          : isSender
            ? t("operator.outbox.leaveSent", { count: unsent })
            : t("operator.outbox.leaveText", { count: unsent })
      }
      confirmLabel={t("operator.outbox.leave")}
      onConfirm={() => onAnswer(true)}
    />
  );
}
