import { callUnaryMethod, createConnectQueryKey } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { toast } from "#/shared/toast/store";

export function useSaveOperatorPassword({
  onDone,
  onRefused,
}: {
  onDone: () => void;
  onRefused: (error: Error) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useReauthTransport();
  const client = useQueryClient();
  const save = useSecretMutation({
    mutationFn: (operatorPassword: string) => {
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
  const error = save.error instanceof ReauthCancelled ? null : save.error;
  return { run: save.mutate, pending: save.isPending, error: error && errorText(error) };
}
