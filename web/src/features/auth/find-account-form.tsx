import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { useAppForm } from "#/shared/form/use-app-form";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { findAccount, mailRecoveryLink, type Recovery } from "./calls";
import { findAccountSchema } from "./schema";

/** The first step: finds the account by its sign-in name. */
export function FindAccountForm({
  name,
  onFound,
}: {
  name: string;
  onFound: (recovery: Recovery) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const form = useAppForm(findAccountSchema, { emailOrBusinessName: name });
  const find = useMutation({
    mutationFn: findAccount,
    onSuccess: onFound,
  });
  const mail = useMutation({
    mutationFn: mailRecoveryLink,
    onSuccess: () => toast.success(t("auth.forgot.mailed"), t("auth.forgot.mailedText")),
    onError: (error) => toast.failure(t("auth.forgot.failed"), errorText(error)),
  });
  const unknown = find.error !== null && toFailure(find.error).status === 404;
  return (
    <FormPage
      onSubmit={form.handleSubmit((values) => find.mutate(values.emailOrBusinessName))}
      loading={find.isPending}
      submitError={find.error ? errorText(find.error, "auth.forgot.notFoundText") : null}
      errorTitle={unknown ? t("auth.forgot.notFound") : t("auth.forgot.failed")}
      submitLabel={t("auth.forgot.find")}
      pendingLabel={t("auth.forgot.finding")}
      wideSubmit
      secondary={
        <Button
          wide
          onClick={form.handleSubmit((values) => mail.mutate(values.emailOrBusinessName))}
          pending={mail.isPending}
        >
          {t("auth.forgot.mail")}
        </Button>
      }
    >
      <TextField
        control={form.control}
        name="emailOrBusinessName"
        label={t("auth.ownerLogin.name")}
        hint={t("auth.forgot.nameHint")}
        autoComplete="username"
        plain
      />
    </FormPage>
  );
}
