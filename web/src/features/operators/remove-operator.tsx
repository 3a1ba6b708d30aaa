import { useMutation } from "@connectrpc/connect-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService, type Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { fullName, useRefreshAccounts } from "./queries";

export function RemoveOperator({ operator, onClose }: { operator: Employee; onClose: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshAccounts();
  const name = fullName(operator);
  const remove = useMutation(AccountsService.method.deleteEmployee, {
    onSuccess: () => {
      toast.success(t("operators.remove.done"), t("operators.remove.doneText", { name }));
      onClose();
      void refresh();
    },
    onError: (error) => toast.failure(t("operators.remove.failed"), errorText(error)),
  });
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t("operators.remove.sure", { name })}
      description={t("operators.remove.text")}
      confirmLabel={t("operators.remove.confirm")}
      pendingLabel={t("operators.remove.pending")}
      pending={remove.isPending}
      onConfirm={() => remove.mutate({ id: operator.id })}
    />
  );
}
