import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService, type Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { FormDialog } from "#/shared/form/form-dialog";
import { TextField } from "#/shared/form/fields/text-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { OperatorAdded } from "./operator-added";
import { fullName, useRefreshAccounts } from "./queries";
import { operatorSchema, type OperatorValues } from "./schema";

export function OperatorDialog({
  operator,
  passwordSet,
  onPrint,
  onClose,
}: {
  operator: Employee | null;
  passwordSet: boolean;
  /** Prints the card of the added operator. */
  onPrint: (operator: Employee) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshAccounts();
  const [added, setAdded] = useState<Employee | null>(null);
  const form = useAppForm(operatorSchema, {
    firstName: operator?.firstName ?? "",
    lastName: operator?.lastName ?? "",
  });
  const refused = (title: string) => (error: Error) => {
    showFieldErrors(form, error, ["firstName", "lastName"]);
    toast.failure(title, errorText(error));
  };
  const create = useWrite(AccountsService.method.createOperator, {
    onSuccess: ({ employee }) => {
      void refresh();
      toast.success(
        t("operators.form.added"),
        t("operators.form.addedText", { username: employee?.operatorUsername ?? "" }),
      );
      if (employee) setAdded(employee);
      else onClose();
    },
    onError: refused(t("operators.form.addFailed")),
  });
  const update = useWrite(AccountsService.method.updateEmployee, {
    onSuccess: ({ employee }) => {
      void refresh();
      toast.success(
        t("operators.form.updated"),
        t("operators.form.updatedText", { name: employee ? fullName(employee) : "" }),
      );
      onClose();
    },
    onError: refused(t("operators.form.updateFailed")),
  });
  if (added) {
    return (
      <OperatorAdded
        operator={added}
        passwordSet={passwordSet}
        onPrint={() => onPrint(added)}
        onClose={onClose}
      />
    );
  }
  const save = (values: OperatorValues) => {
    const names = { firstName: values.firstName.trim(), lastName: values.lastName.trim() };
    if (operator) update.mutate({ id: operator.id, ...names });
    else create.mutate(names);
  };
  const error = create.error ?? update.error;
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={operator ? t("operators.form.editTitle") : t("operators.form.add")}
      description={operator ? t("operators.form.editText") : t("operators.form.addText")}
      onSubmit={form.handleSubmit(save, () =>
        toast.failure(t("operators.form.missing"), t("operators.form.missingText")),
      )}
      loading={create.isPending || update.isPending}
      submitError={error && errorText(error)}
      toasted
      submitLabel={operator ? t("operators.form.save") : t("operators.form.add")}
      pendingLabel={operator ? t("operators.form.saving") : t("operators.form.adding")}
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
