import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { changeSession } from "#/api/session";
import { key } from "#/i18n/key";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { PasswordField } from "#/shared/form/fields/password-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { useAppForm } from "#/shared/form/use-app-form";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { toast } from "#/shared/toast/store";
import { Notice } from "#/shared/ui/notice";
import { AuthFrame, AuthLink } from "./auth-frame";
import { loginOwner } from "./calls";
import { CodeField } from "./code-field";
import { ownerLoginSchema } from "./schema";
import { useAskedCode } from "./totp";

/** `stay`: it stands in place of a page that wants a sign-in, and gives way to it. */
export function OwnerLoginPage({ stay = false }: { stay?: boolean }) {
  const { t } = useTranslation();
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
      <OwnerLoginForm stay={stay} />
    </AuthFrame>
  );
}

function OwnerLoginForm({ stay }: { stay: boolean }) {
  const { t } = useTranslation();
  const { form, codeAsked, login, refusal } = useOwnerLogin(stay);
  return (
    <FormPage
      onSubmit={form.handleSubmit((values) => login.mutate(values))}
      loading={login.isPending}
      submitError={refusal}
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
      {codeAsked ? (
        <>
          <div role="status">
            <Notice>{t("auth.ownerLogin.totpAsked")}</Notice>
          </div>
          <CodeField
            control={form.control}
            name="totp"
            label={t("auth.ownerLogin.totp")}
            hint={t("auth.ownerLogin.totpHint")}
          />
        </>
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <CheckboxField
            control={form.control}
            name="rememberMe"
            label={t("auth.ownerLogin.remember")}
          />
          <AuthLink to="/forgot-password">{t("auth.ownerLogin.forgot")}</AuthLink>
        </div>
      )}
    </FormPage>
  );
}

function useOwnerLogin(stay: boolean) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const router = useRouter();
  const client = useQueryClient();
  const code = useAskedCode();
  const form = useAppForm(ownerLoginSchema(code.askedFor), {
    emailOrBusinessName: "",
    password: "",
    rememberMe: false,
    totp: "",
  });
  const codeAsked = code.askedFor !== null && form.watch("emailOrBusinessName") === code.askedFor;
  const login = useSecretMutation({
    mutationFn: (values: Parameters<typeof loginOwner>[0]) =>
      // A code that was typed for another name must not go along with this one.
      loginOwner({ ...values, totp: codeAsked ? values.totp : "" }),
    onSuccess: async (user) => {
      void changeSession(client, user);
      toast.success(t("auth.ownerLogin.success"));
      if (!stay) await router.navigate({ to: "/" });
    },
    onError: (error, { emailOrBusinessName, totp }) => {
      const verdict = code.judge(error, emailOrBusinessName, codeAsked ? totp : "");
      const failed = t("auth.ownerLogin.failed");
      if (verdict === "other")
        toast.failure(failed, errorText(error, "auth.ownerLogin.failedText"));
      if (verdict === "wrongCode") {
        toast.failure(failed, t("auth.ownerLogin.totpWrong"));
        // A code works once, so the one that was sent is of no more use.
        form.setValue("totp", "");
        const message = key("auth.ownerLogin.totpWrong");
        form.setError("totp", { type: "server", message }, { shouldFocus: true });
      }
    },
  });
  const refused = login.error && code.verdict === "other" ? login.error : null;
  return {
    form,
    login,
    codeAsked,
    refusal: refused && errorText(refused, "auth.ownerLogin.failedText"),
  };
}
