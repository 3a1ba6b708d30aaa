import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService, type Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { FormDialog } from "#/shared/form/form-dialog";
import { TextField } from "#/shared/form/fields/text-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { fullName, personName, useRefreshAccounts } from "../queries";
import { operatorSchema } from "../schema";
import { useRemovePerson } from "../use-remove-person";

/** Changes a manager's names; only the manager can change the email. */
export function EditManagerDialog({
  manager,
  onClose,
}: {
  manager: Employee;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshAccounts();
  const { firstName, lastName } = manager;
  const form = useAppForm(operatorSchema, { firstName, lastName });
  const update = useWrite(AccountsService.method.updateEmployee, {
    onSuccess: ({ employee }) => {
      void refresh();
      const name = employee ? fullName(employee) : "";
      toast.success(t("operators.managers.updated"), t("operators.form.updatedText", { name }));
      onClose();
    },
    onError: (error) => showFieldErrors(form, error, ["firstName", "lastName"]),
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("operators.managers.editTitle")}
      description={t("operators.managers.editText")}
      onSubmit={form.handleSubmit(
        (values) =>
          update.mutate({
            id: manager.id,
            firstName: values.firstName.trim(),
            lastName: values.lastName.trim(),
          }),
        () => toast.failure(t("operators.form.missing"), t("operators.form.missingText")),
      )}
      loading={update.isPending}
      submitError={update.error && errorText(update.error)}
      submitLabel={t("operators.form.save")}
      pendingLabel={t("operators.form.saving")}
    >
      <TextField
        control={form.control}
        name="firstName"
        label={t("operators.form.firstName")}
        maxLength={100}
      />
      <TextField
        control={form.control}
        name="lastName"
        label={t("operators.form.lastName")}
        maxLength={100}
      />
    </FormDialog>
  );
}

export function RemoveManager({ manager, onClose }: { manager: Employee; onClose: () => void }) {
  const { t } = useTranslation();
  const name = personName(manager);
  const remove = useRemovePerson({
    onRemoved: () => {
      toast.success(t("operators.managers.removed"), t("operators.remove.doneText", { name }));
      onClose();
    },
    failedTitle: t("operators.managers.removeFailed"),
  });
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t("operators.remove.sure", { name })}
      description={t("operators.managers.removeText")}
      confirmLabel={t("operators.managers.remove")}
      pendingLabel={t("operators.remove.pending")}
      pending={remove.isPending}
      onConfirm={() => remove.mutate({ id: manager.id })}
    />
  );
}
