import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { PasswordField } from "#/shared/form/fields/password-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { resetPassword, type Recovery } from "./calls";
import { useQuestionText } from "./question-text";
import { resetPasswordSchema } from "./schema";

/** The second step: the answers to the account's two questions, and the new password. */
export function ResetPasswordForm({
  recovery,
  onBack,
}: {
  recovery: Recovery;
  onBack: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const questionText = useQuestionText();
  const { form, reset } = useResetPassword(recovery);
  return (
    <FormPage
      onSubmit={form.handleSubmit((values) => reset.mutate(values))}
      loading={reset.isPending}
      submitError={reset.error ? errorText(reset.error, "auth.forgot.wrongAnswers") : null}
      errorTitle={t("auth.forgot.resetFailed")}
      submitLabel={t("auth.forgot.submit")}
      pendingLabel={t("auth.forgot.pending")}
      wideSubmit
      secondary={
        <Button wide onClick={onBack}>
          {t("auth.forgot.back")}
        </Button>
      }
    >
      {/* Password managers store the new password under this name. */}
      <input
        type="text"
        autoComplete="username"
        value={recovery.emailOrBusinessName}
        readOnly
        hidden
      />
      <p className="rounded-(--control-radius) border border-line bg-sunken px-3.5 py-2.5">
        <span className="block text-sm text-muted">{t("auth.forgot.account")}</span>
        <span className="font-semibold break-words">{recovery.emailOrBusinessName}</span>
      </p>
      <TextField
        control={form.control}
        name="securityAnswer1"
        label={questionText(recovery.question1)}
        hint={t("auth.questions.answerHint")}
        maxLength={100}
      />
      <TextField
        control={form.control}
        name="securityAnswer2"
        label={questionText(recovery.question2)}
        maxLength={100}
      />
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
  );
}

function useResetPassword(recovery: Recovery) {
  const { t } = useTranslation();
  const router = useRouter();
  const form = useAppForm(resetPasswordSchema, {
    securityAnswer1: "",
    securityAnswer2: "",
    newPassword: "",
    confirmPassword: "",
  });
  const { setFocus } = form;
  useEffect(() => setFocus("securityAnswer1"), [setFocus]);
  const reset = useSecretMutation({
    mutationFn: (values: Parameters<typeof resetPassword>[1]) => resetPassword(recovery, values),
    onSuccess: async () => {
      toast.success(t("auth.forgot.success"), t("auth.forgot.successText"));
      await router.navigate({ to: "/login" });
    },
    onError: (error) => {
      showFieldErrors(form, error, ["securityAnswer1", "securityAnswer2", "newPassword"]);
    },
  });
  return { form, reset };
}
