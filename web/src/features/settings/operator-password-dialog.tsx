import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { key } from "#/i18n/key";
import { PasswordField } from "#/shared/form/fields/password-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useSaveOperatorPassword } from "./use-save-operator-password";

const length = (text: string) => Array.from(text).length;

const passwordSchema = v.object({
  // Named like the server's field. Lengths count code points; values are not trimmed.
  masterPassword: v.pipe(
    v.string(),
    v.check((text) => length(text) >= 6, key("operators.settings.passwordShort")),
    v.check((text) => length(text) <= 64, key("operators.settings.passwordLong")),
  ),
});

/** Sets the shared operator password; no cache holds it. */
export function OperatorPasswordDialog({
  isSet,
  onClose,
}: {
  isSet: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const form = useAppForm(passwordSchema, { masterPassword: "" });
  const save = useSaveOperatorPassword({
    onDone: onClose,
    onRefused: (error) => showFieldErrors(form, error, ["masterPassword"]),
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={isSet ? t("operators.settings.changePassword") : t("operators.empty.setPassword")}
      description={isSet ? t("settings.operators.passwordTell") : undefined}
      onSubmit={form.handleSubmit(({ masterPassword }) => save.run(masterPassword))}
      loading={save.pending}
      submitError={save.error}
      toasted
      submitLabel={t("settings.operators.passwordSave")}
      pendingLabel={t("operators.settings.pending")}
    >
      <PasswordField
        control={form.control}
        name="masterPassword"
        label={t("operators.settings.operatorPassword")}
        hint={t("settings.operators.passwordHint")}
        autoComplete="off"
      />
    </FormDialog>
  );
}
