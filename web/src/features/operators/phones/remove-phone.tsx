import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService, type Device } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { useRefreshAccounts } from "../queries";

export function RemovePhone({ phone, onClose }: { phone: Device; onClose: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshAccounts();
  const { label } = phone;
  const remove = useWrite(AccountsService.method.removeDevice, {
    onSuccess: () => {
      void refresh();
      toast.success(t("operators.phones.removed"), t("operators.phones.removedText", { label }));
      onClose();
    },
    onError: (error) => toast.failure(t("operators.phones.removeFailed"), errorText(error)),
  });
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t("operators.phones.sure", { label })}
      description={t("operators.phones.removeText", { count: phone.people.length })}
      confirmLabel={t("operators.phones.remove")}
      pendingLabel={t("operators.remove.pending")}
      pending={remove.isPending}
      onConfirm={() => remove.mutate({ id: phone.id })}
    />
  );
}
