import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { useRefreshAccounts } from "./queries";

/** Removes an operator or manager; the server requires a recent sign-in. */
export function useRemovePerson({
  onRemoved,
  failedTitle,
}: {
  onRemoved: () => void;
  failedTitle: string;
}) {
  const errorText = useErrorText();
  const refresh = useRefreshAccounts();
  return useWrite(AccountsService.method.deleteEmployee, {
    transport: useReauthTransport(),
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
