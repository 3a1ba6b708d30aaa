import { callUnaryMethod } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { toast } from "#/shared/toast/store";
import { useRefreshPeople } from "./people";

interface Reset {
  userId: string;
  /** Absent: the shared operator password is used again. */
  newPassword?: string;
}

/**
 * `read` returns the request at the time of the call. The password is not a mutation variable,
 * because the cache keeps variables.
 */
export function useResetPassword({
  read,
  doneText,
  onDone,
  onRefused,
}: {
  read: () => Reset;
  doneText: () => string;
  onDone: () => void;
  onRefused?: (error: Error) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useReauthTransport();
  const refresh = useRefreshPeople();
  // Covers the time between a press and the next render.
  const running = useRef(false);
  const reset = useMutation({
    mutationFn: () => callUnaryMethod(transport, AccountsService.method.resetUserPassword, read()),
    onSuccess: () => {
      toast.success(t("admin-tools.done"), doneText());
      void refresh();
      onDone();
    },
    onError: (error) => {
      if (error instanceof ReauthCancelled) return;
      onRefused?.(error);
      toast.failure(t("admin-tools.failed"), errorText(error, "admin-tools.failedText"));
    },
  });
  const run = () => {
    if (running.current) return;
    running.current = true;
    reset.mutate(undefined, {
      onSettled: () => {
        running.current = false;
      },
    });
  };
  const error = reset.error instanceof ReauthCancelled ? null : reset.error;
  return {
    run,
    pending: reset.isPending,
    error: error && errorText(error, "admin-tools.failedText"),
  };
}
