import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { confirmPassword, usePasswordRequest } from "#/api/reauth";
import { PasswordField } from "#/shared/form/fields/password-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { useAppForm } from "#/shared/form/use-app-form";
import { reauthSchema } from "./schema";

/** Stands once in the shell; `withReauth` opens it when the server wants a recent sign-in. */
export function ReauthDialog() {
  const request = usePasswordRequest();
  return request ? <OpenReauthDialog settle={request.settle} /> : null;
}

function OpenReauthDialog({ settle }: { settle: (confirmed: boolean) => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const form = useAppForm(reauthSchema, { password: "" });
  const confirm = useMutation({
    mutationFn: ({ password }: { password: string }) => confirmPassword(password),
    onSuccess: () => settle(true),
  });
  const wrong = confirm.error !== null && [400, 401].includes(toFailure(confirm.error).status);
  return (
    <FormDialog
      open
      onOpenChange={(open) => {
        if (!open) settle(false);
      }}
      title={t("auth.reauth.title")}
      description={t("auth.reauth.text")}
      onSubmit={form.handleSubmit((values) => confirm.mutate(values))}
      loading={confirm.isPending}
      submitError={
        confirm.error ? (wrong ? t("auth.reauth.wrong") : errorText(confirm.error)) : null
      }
      submitLabel={t("auth.reauth.submit")}
      pendingLabel={t("auth.reauth.pending")}
    >
      <PasswordField
        control={form.control}
        name="password"
        label={t("auth.password")}
        autoComplete="current-password"
      />
    </FormDialog>
  );
}
