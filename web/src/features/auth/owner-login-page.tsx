import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { changeSession } from "#/api/session";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { PasswordField } from "#/shared/form/fields/password-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { useAppForm } from "#/shared/form/use-app-form";
import { toast } from "#/shared/toast/store";
import { AuthFrame, AuthLink } from "./auth-frame";
import { loginOwner } from "./calls";
import { ownerLoginSchema } from "./schema";

export function OwnerLoginPage() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const router = useRouter();
  const client = useQueryClient();
  const form = useAppForm(ownerLoginSchema, {
    emailOrBusinessName: "",
    password: "",
    rememberMe: false,
    totp: "",
  });
  const login = useMutation({
    mutationFn: loginOwner,
    onSuccess: async (user) => {
      changeSession(client, user);
      toast.success(t("auth.ownerLogin.success"));
      await router.navigate({ to: "/" });
    },
    onError: (error) => {
      if (!needsCode(error)) {
        toast.failure(t("auth.ownerLogin.failed"), errorText(error, "auth.ownerLogin.failedText"));
      }
    },
  });
  // Only support staff have a second factor; the field appears when the server asks for it.
  const codeAsked = needsCode(login.error) || form.watch("totp") !== "";
  return (
    <AuthFrame
      title={t("auth.ownerLogin.title")}
      subtitle={t("auth.ownerLogin.subtitle")}
      footer={
        <>
          <p>
            {t("auth.ownerLogin.newHere")}{" "}
            <AuthLink to="/signup">{t("auth.ownerLogin.signup")}</AuthLink>
          </p>
          <p>
            {t("auth.ownerLogin.areYouOperator")}{" "}
            <AuthLink to="/employee-login">{t("auth.ownerLogin.operatorLogin")}</AuthLink>
          </p>
        </>
      }
    >
      <FormPage
        onSubmit={form.handleSubmit((values) => login.mutate(values))}
        loading={login.isPending}
        submitError={
          login.error && !needsCode(login.error)
            ? errorText(login.error, "auth.ownerLogin.failedText")
            : null
        }
        submitLabel={t("auth.ownerLogin.submit")}
        pendingLabel={t("auth.ownerLogin.pending")}
        wideSubmit
      >
        <TextField
          control={form.control}
          name="emailOrBusinessName"
          label={t("auth.ownerLogin.name")}
          autoComplete="username"
          plain
        />
        <PasswordField
          control={form.control}
          name="password"
          label={t("auth.password")}
          hint={t("auth.ownerLogin.caseNote")}
          autoComplete="current-password"
        />
        {codeAsked && (
          <TextField
            control={form.control}
            name="totp"
            label={t("auth.ownerLogin.totp")}
            hint={t("auth.ownerLogin.totpHint")}
            autoComplete="one-time-code"
            maxLength={8}
            mono
          />
        )}
        <CheckboxField
          control={form.control}
          name="rememberMe"
          label={t("auth.ownerLogin.remember")}
        />
      </FormPage>
    </AuthFrame>
  );
}

function needsCode(error: Error | null): boolean {
  return error !== null && toFailure(error).code === "TOTP_REQUIRED";
}
