import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { PasswordField } from "#/shared/form/fields/password-field";
import { FormPage } from "#/shared/form/form-page";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { Button } from "#/shared/ui/button";
import { passwordSchema } from "./schema";
import { useChangePassword } from "./use-change-password";

/** Changes one's own password; signs out all other devices. */
export function PasswordForm({ signInName, onClose }: { signInName: string; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useAppForm(passwordSchema, {
    currentPassword: "",
    newPassword: "",
    confirmPassword: "",
  });
  const change = useChangePassword({
    onDone: onClose,
    // A wrong current password is also reported with its field.
    onRefused: (error) => showFieldErrors(form, error, ["currentPassword", "newPassword"]),
  });
  const { setFocus } = form;
  useEffect(() => setFocus("currentPassword"), [setFocus]);
  return (
    <FormPage
      onSubmit={form.handleSubmit((values) => change.run(values))}
      loading={change.pending}
      submitError={change.error}
      toasted
      submitLabel={t("profile.password.submit")}
      pendingLabel={t("profile.password.pending")}
      secondary={
        <Button
          onClick={() => {
            if (!change.pending) onClose();
          }}
        >
          {t("common.cancel")}
        </Button>
      }
    >
      {/* Tells a password manager which account changes. */}
      <input type="text" autoComplete="username" value={signInName} readOnly hidden />
      <PasswordField
        control={form.control}
        name="currentPassword"
        label={t("profile.password.current")}
        autoComplete="current-password"
      />
      <div className="grid gap-4 md:grid-cols-2">
        <PasswordField
          control={form.control}
          name="newPassword"
          label={t("profile.password.new")}
          hint={t("admin-tools.passwordHint")}
          autoComplete="new-password"
        />
        <PasswordField
          control={form.control}
          name="confirmPassword"
          label={t("profile.password.confirm")}
          autoComplete="new-password"
        />
      </div>
    </FormPage>
  );
}
