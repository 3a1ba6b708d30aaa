import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { PasswordField } from "#/shared/form/fields/password-field";
import { FormPage } from "#/shared/form/form-page";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { toast } from "#/shared/toast/store";
import { AuthFrame, AuthLink } from "./auth-frame";
import { setNewPassword } from "./calls";
import { newPasswordSchema } from "./schema";

/** Sets a new password with the link of a mail. */
export function NewPasswordPage() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const router = useRouter();
  const [secret] = useState(() => location.hash.slice(1));
  const form = useAppForm(newPasswordSchema, { newPassword: "", confirmPassword: "" });
  const set = useSecretMutation({
    mutationFn: (newPassword: string) => setNewPassword(secret, newPassword),
    onSuccess: async () => {
      toast.success(t("auth.forgot.success"), t("auth.forgot.successText"));
      await router.navigate({ to: "/login" });
    },
    onError: (error) => {
      showFieldErrors(form, error, ["newPassword"]);
    },
  });
  const ended = secret === "" || (set.error !== null && toFailure(set.error).status === 404);
  return (
    <AuthFrame
      title={ended ? t("verify-email.ended") : t("auth.forgot.newPassword")}
      subtitle={ended ? t("verify-email.recoveryEnded") : t("verify-email.recovery")}
      footer={
        <p>
          <AuthLink to="/forgot-password">{t("auth.forgot.title")}</AuthLink>
        </p>
      }
    >
      {!ended && (
        <FormPage
          onSubmit={form.handleSubmit(({ newPassword }) => set.mutate(newPassword))}
          loading={set.isPending}
          submitError={set.error ? errorText(set.error, "auth.forgot.resetFailed") : null}
          errorTitle={t("auth.forgot.resetFailed")}
          submitLabel={t("auth.forgot.submit")}
          pendingLabel={t("auth.forgot.pending")}
          wideSubmit
        >
          <PasswordField
            control={form.control}
            name="newPassword"
            label={t("auth.forgot.newPassword")}
            hint={t("auth.signup.passwordHint")}
            autoComplete="new-password"
          />
          <PasswordField
            control={form.control}
            name="confirmPassword"
            label={t("auth.forgot.confirmPassword")}
            autoComplete="new-password"
          />
        </FormPage>
      )}
    </AuthFrame>
  );
}
