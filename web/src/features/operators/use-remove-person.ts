import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled, withReauth } from "#/session/reauth";
import { toast } from "#/shared/toast/store";
import { useRefreshAccounts } from "./queries";

/** Removes an operator or manager; the server wants a recent sign-in. */
export function useRemovePerson(
  id: string,
  { onRemoved, failedTitle }: { onRemoved: () => void; failedTitle: string },
) {
  const errorText = useErrorText();
  const transport = useTransport();
  const refresh = useRefreshAccounts();
  return useMutation({
    mutationFn: () =>
      withReauth(() => callUnaryMethod(transport, AccountsService.method.deleteEmployee, { id })),
    onSuccess: () => {
      onRemoved();
      void refresh();
    },
    onError: (error) => {
      if (error instanceof ReauthCancelled) return;
      toast.failure(failedTitle, errorText(error));
    },
  });
}
