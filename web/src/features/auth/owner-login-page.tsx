import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { changeSession } from "#/session/session";
import type { TextKey } from "#/i18n/key";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { PasswordField } from "#/shared/form/fields/password-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { useAppForm } from "#/shared/form/use-app-form";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { toast } from "#/shared/toast/store";
import { AuthFrame, AuthLink } from "./auth-frame";
import { loginOwner } from "./calls";
import { noFactor, useAskedFactor, type FactorKind, type FactorValues } from "./factor";
import { FactorFields } from "./factor-fields";
import { ownerLoginSchema } from "./schema";
import { useFactorRefusal } from "./use-factor-refusal";

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
  const { form, asked, choose, login, refusal } = useOwnerLogin(stay);
  return (
    <FormPage
      onSubmit={form.handleSubmit((values) => login.mutate(values))}
      loading={login.isPending}
      submitError={refusal}
      submitLabel={
        asked?.chosen === "passkey" ? t("auth.factor.usePasskey") : t("auth.ownerLogin.submit")
      }
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
      {asked ? (
        <FactorFields
          control={form.control}
          names={{ totp: "totp", recoveryCode: "recoveryCode" }}
          asked={asked}
          onChoose={choose}
        />
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
  const factor = useAskedFactor();
  const refuseFactor = useFactorRefusal();
  const form = useAppForm(ownerLoginSchema(factor.asked), {
    emailOrBusinessName: "",
    password: "",
    rememberMe: false,
    ...noFactor,
  });
  // A code that was typed for another name must not go along with this one.
  const asked = form.watch("emailOrBusinessName") === factor.asked?.name ? factor.asked : null;
  const refuse = (field: keyof FactorValues, message: TextKey) => {
    form.setValue(field, "");
    form.setError(field, { type: "server", message }, { shouldFocus: true });
  };
  const login = useSecretMutation({
    mutationFn: (values: Parameters<typeof loginOwner>[0]) => loginOwner(values, asked),
    onSuccess: async (user) => {
      void changeSession(client, user);
      toast.success(t("auth.ownerLogin.success"));
      if (!stay) await router.navigate({ to: "/" });
    },
    onError: (error, { emailOrBusinessName }) => {
      const verdict = factor.judge(error, emailOrBusinessName, asked !== null);
      const failed = t("auth.ownerLogin.failed");
      if (verdict === "other")
        toast.failure(failed, errorText(error, "auth.ownerLogin.failedText"));
      if (verdict === "wrong") refuseFactor(asked, failed, refuse);
    },
  });
  const choose = (kind: FactorKind) => {
    factor.choose(kind);
    login.reset();
  };
  const refused = login.error && factor.verdict === "other" ? login.error : null;
  return {
    form,
    login,
    asked,
    choose,
    refusal: refused && errorText(refused, "auth.ownerLogin.failedText"),
  };
}
