import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { confirmPassword, settlePasswordRequest } from "#/session/reauth";
import type { User } from "#/session/session";
import { key } from "#/i18n/key";
import { PasswordField } from "#/shared/form/fields/password-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { useAppForm } from "#/shared/form/use-app-form";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { reauthSchema } from "./schema";
import { signInNameOf } from "./sign-in-name";

/** Asks for the password when the server requires a recent sign-in; `withReauth` opens it. */
export function ReauthDialog({ user }: { user: User }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const form = useAppForm(reauthSchema, { password: "" });
  const confirm = useSecretMutation({
    mutationFn: ({ password }: { password: string }) => confirmPassword(password),
    onSuccess: () => settlePasswordRequest(true),
    onError: (error) => {
      if (!isWrong(error)) return;
      form.setError(
        "password",
        { type: "server", message: key("auth.reauth.wrong") },
        { shouldFocus: true },
      );
    },
  });
  const refused = confirm.error && !isWrong(confirm.error) ? confirm.error : null;
  const name = signInNameOf(user);
  return (
    <FormDialog
      open
      onOpenChange={(open) => {
        if (!open) settlePasswordRequest(false);
      }}
      title={t("auth.reauth.title")}
      description={t("auth.reauth.text")}
      onSubmit={form.handleSubmit((values) => confirm.mutate(values))}
      loading={confirm.isPending}
      submitError={refused && errorText(refused)}
      submitLabel={t("auth.reauth.submit")}
      pendingLabel={t("auth.reauth.pending")}
    >
      {/* Password managers find the password by this name. */}
      <input type="text" autoComplete="username" value={name} readOnly hidden />
      <PasswordField
        control={form.control}
        name="password"
        label={t("auth.password")}
        hint={t("auth.reauth.signedInAs", { name })}
        autoComplete="current-password"
      />
    </FormDialog>
  );
}

/** An ended session is also a 401, with another code. */
function isWrong(error: unknown): boolean {
  return toFailure(error).code === "WRONG_PASSWORD";
}
