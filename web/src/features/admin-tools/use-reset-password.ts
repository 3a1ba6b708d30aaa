import { callUnaryMethod } from "@connectrpc/connect-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { toast } from "#/shared/toast/store";
import { useRefreshPeople } from "./people";

interface Reset {
  userId: string;
  /** Absent: the shared operator password is used again. */
  newPassword?: string;
}

export function useResetPassword({
  doneText,
  onDone,
  onRefused,
}: {
  doneText: () => string;
  onDone: () => void;
  onRefused?: (error: Error) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useReauthTransport();
  const refresh = useRefreshPeople();
  const reset = useSecretMutation({
    mutationFn: (request: Reset) =>
      callUnaryMethod(transport, AccountsService.method.resetUserPassword, request),
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
  const error = reset.error instanceof ReauthCancelled ? null : reset.error;
  return {
    run: reset.mutate,
    pending: reset.isPending,
    error: error && errorText(error, "admin-tools.failedText"),
  };
}
