import { useTranslation } from "react-i18next";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { fullName } from "./queries";
import { useRemovePerson } from "./use-remove-person";

export function RemoveOperator({ operator, onClose }: { operator: Employee; onClose: () => void }) {
  const { t } = useTranslation();
  const name = fullName(operator);
  const remove = useRemovePerson({
    onRemoved: () => {
      toast.success(t("operators.remove.done"), t("operators.remove.doneText", { name }));
      onClose();
    },
    failedTitle: t("operators.remove.failed"),
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
