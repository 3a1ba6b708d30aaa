import { Code, ConnectError } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { FormDialog } from "#/shared/form/form-dialog";
import { TextField } from "#/shared/form/fields/text-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useWriteTransport } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { fullName, useRefreshAccounts } from "../queries";
import { isIncomplete, managerSchema, type ManagerValues } from "../schema";
import { ManagerAdded } from "./manager-added";

/** Adds a manager, then shows the temporary password, which can't be shown again. */
export function AddManagerDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useWriteTransport(useReauthTransport());
  const refresh = useRefreshAccounts();
  const form = useAppForm(managerSchema, { firstName: "", lastName: "", email: "" });
  const [temporaryPassword, setTemporaryPassword] = useState<string | null>(null);
  const create = useMutation({
    // The mutation cache keeps results, so the password is removed here.
    mutationFn: async (values: ManagerValues) => {
      const { createManager } = AccountsService.method;
      const answer = await callUnaryMethod(transport, createManager, trimmed(values));
      setTemporaryPassword(answer.temporaryPassword);
    },
    // The dialog itself reports success; a toast would cover it on a phone.
    onSuccess: () => void refresh(),
    onError: (error) => {
      if (error instanceof ReauthCancelled) return;
      if (ConnectError.from(error).code === Code.AlreadyExists) {
        form.setError("email", { message: "operators.managers.emailTaken" }, { shouldFocus: true });
        return;
      }
      showFieldErrors(form, error, ["firstName", "lastName", "email"]);
    },
  });
  if (temporaryPassword !== null) {
    const manager = trimmed(form.getValues());
    return (
      <ManagerAdded
        name={fullName(manager)}
        email={manager.email}
        temporaryPassword={temporaryPassword}
        onClose={onClose}
      />
    );
  }
  // A taken address is shown under its field.
  const isShown =
    create.error instanceof ReauthCancelled ||
    (create.error && ConnectError.from(create.error).code === Code.AlreadyExists);
  const refusal = create.error && !isShown ? errorText(create.error) : null;
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("operators.managers.add")}
      description={t("operators.managers.addText")}
      onSubmit={form.handleSubmit(
        (values) => create.mutate(values),
        () => {
          if (isIncomplete(form.getValues())) {
            toast.failure(t("operators.form.missing"), t("operators.form.missingText"));
          }
        },
      )}
      loading={create.isPending}
      submitError={refusal}
      submitLabel={t("operators.managers.add")}
      pendingLabel={t("operators.form.adding")}
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
      <TextField
        control={form.control}
        name="email"
        type="email"
        label={t("operators.managers.email")}
        hint={t("operators.managers.emailHint")}
        maxLength={254}
        plain
      />
    </FormDialog>
  );
}

function trimmed({ firstName, lastName, email }: ManagerValues): ManagerValues {
  return { firstName: firstName.trim(), lastName: lastName.trim(), email: email.trim() };
}
