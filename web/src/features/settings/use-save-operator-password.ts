import { callUnaryMethod, createConnectQueryKey } from "@connectrpc/connect-query";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { toast } from "#/shared/toast/store";

/**
 * `read` returns the password at the time of the call. It is not a mutation variable, because the
 * cache keeps variables.
 */
export function useSaveOperatorPassword({
  read,
  onDone,
  onRefused,
}: {
  read: () => string;
  onDone: () => void;
  onRefused: (error: Error) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useReauthTransport();
  const client = useQueryClient();
  // Covers the time between a press and the next render.
  const running = useRef(false);
  const save = useMutation({
    mutationFn: () => {
      const operatorPassword = read();
      const { updateCompanySettings } = AccountsService.method;
      return callUnaryMethod(transport, updateCompanySettings, { operatorPassword });
    },
    onSuccess: () => {
      toast.success(t("operators.settings.done"), t("settings.operators.passwordSaved"));
      void client.invalidateQueries({
        queryKey: createConnectQueryKey({ schema: AccountsService, cardinality: undefined }),
      });
      onDone();
    },
    onError: (error) => {
      if (error instanceof ReauthCancelled) return;
      onRefused(error);
      toast.failure(t("operators.settings.failed"), errorText(error));
    },
  });
  const run = () => {
    if (running.current) return;
    running.current = true;
    save.mutate(undefined, {
      onSettled: () => {
        running.current = false;
      },
    });
  };
  const error = save.error instanceof ReauthCancelled ? null : save.error;
  return { run, pending: save.isPending, error: error && errorText(error) };
}
