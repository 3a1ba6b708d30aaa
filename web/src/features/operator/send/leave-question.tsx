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
  const [question, setQuestion] = useState<"unsent" | "noPin" | null>(null);
  /** The phone sends the updates without a sign-in. */
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
        setQuestion(asks ? "unsent" : "noPin");
        return new Promise((resolve) => {
          answer.current = resolve;
        });
      }),
    [asks, userId],
  );
  const close = (leave: boolean) => {
    setQuestion(null);
    answer.current?.(leave);
  };
  const count = { count: unsent };
  const unsentText =
    // The number is unknown.
    unsent === 0
      ? t("operator.outbox.leaveUnknown")
      : isSender
        ? t("operator.outbox.leaveSent", count)
        : t("operator.outbox.leaveText", count);
  const isAboutPin = question === "noPin";
  return (
    <AlertDialog
      open={isAboutPin || (question === "unsent" && asks)}
      onOpenChange={(next) => {
        if (!next) close(false);
      }}
      title={isAboutPin ? t("phone.leave.title") : t("operator.outbox.leaveTitle")}
      description={isAboutPin ? t("phone.leave.text") : unsentText}
      confirmLabel={t("operator.outbox.leave")}
      onConfirm={() => close(true)}
    />
  );
}
