import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Enrolment } from "#/device/enrolment";
import { personName } from "#/domain/person";
import type { User } from "#/session/user";
import { key } from "#/i18n/key";
import { PasswordField } from "#/shared/form/fields/password-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { useAppForm } from "#/shared/form/use-app-form";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { toast } from "#/shared/toast/store";
import { choosePin } from "./enrol";
import { pinSchema } from "./pin-schema";

/** Asks for a new PIN; the first person on a phone also names it. */
export function PinDialog({
  user,
  device,
  onClose,
}: {
  user: User;
  device: Enrolment | null;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const known = device?.companyId === user.companyId ? device : null;
  const label = known?.label ?? t("phone.dialog.defaultLabel", { name: personName(user) });
  const form = useAppForm(pinSchema, { pin: "", repeated: "", label: label.slice(0, 60) });
  const save = useSecretMutation({
    mutationFn: (values: { pin: string; label: string }) =>
      choosePin(user, values.pin, values.label.trim()),
    onSuccess: () => {
      toast.success(t("phone.saved"), t("phone.savedText"));
      onClose();
    },
  });
  return (
    <FormDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={t("phone.dialog.title")}
      description={t("phone.dialog.text")}
      onSubmit={form.handleSubmit((values) => save.mutate(values))}
      loading={save.isPending}
      submitError={save.error && errorText(save.error, key("phone.failed"))}
      submitLabel={t("phone.dialog.submit")}
      pendingLabel={t("phone.dialog.pending")}
    >
      <PasswordField
        control={form.control}
        name="pin"
        label={t("phone.dialog.pin")}
        hint={t("phone.dialog.pinHint")}
        autoComplete="off"
        inputMode="numeric"
      />
      <PasswordField
        control={form.control}
        name="repeated"
        label={t("phone.dialog.repeated")}
        autoComplete="off"
        inputMode="numeric"
      />
      {!known && (
        <TextField
          control={form.control}
          name="label"
          label={t("phone.dialog.label")}
          hint={t("phone.dialog.labelHint")}
          maxLength={60}
        />
      )}
    </FormDialog>
  );
}
