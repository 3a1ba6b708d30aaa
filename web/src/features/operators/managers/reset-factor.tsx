import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService, type Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { personName, useRefreshAccounts } from "../queries";

export function ResetFactor({ manager, onClose }: { manager: Employee; onClose: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshAccounts();
  const name = personName(manager);
  const reset = useWrite(AccountsService.method.resetSecondFactor, {
    transport: useReauthTransport(),
    onSuccess: () => {
      toast.success(t("second-factor.reset.done"));
      onClose();
      void refresh();
    },
    onError: (error) => {
      if (error instanceof ReauthCancelled) return;
      toast.failure(t("second-factor.reset.failed"), errorText(error));
    },
  });
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t("second-factor.reset.title", { name })}
      description={t("second-factor.reset.text")}
      confirmLabel={t("second-factor.reset.confirm")}
      pendingLabel={t("second-factor.reset.pending")}
      pending={reset.isPending}
      onConfirm={() => reset.mutate({ userId: manager.id })}
    />
  );
}
