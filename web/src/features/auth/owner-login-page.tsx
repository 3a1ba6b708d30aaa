import { useTranslation } from "react-i18next";
import type { User } from "#/session/user";
import { key } from "#/i18n/key";
import { FormPage } from "#/shared/form/form-page";
import { CheckboxInput } from "#/shared/form/inputs/checkbox-input";
import { PasswordInput } from "#/shared/form/inputs/password-input";
import { TextInput } from "#/shared/form/inputs/text-input";
import { toast } from "#/shared/toast/store";
import { AuthFrame, AuthLink } from "./auth-frame";
import { FactorFields } from "./factor-fields";
import { loginOwner } from "./sign-in-calls";
import { useSignIn } from "./use-sign-in";

interface OwnerLoginProps {
  /** Signs the user in and shows their home page. */
  onSignedIn: (user: User) => Promise<void>;
}

export function OwnerLoginPage({ onSignedIn }: OwnerLoginProps) {
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
      <OwnerLoginForm onSignedIn={onSignedIn} />
    </AuthFrame>
  );
}

function OwnerLoginForm({ onSignedIn }: OwnerLoginProps) {
  const { t } = useTranslation();
  const form = useSignIn({
    initial: { signInName: "" },
    required: {
      signInName: key("auth.ownerLogin.nameRequired"),
      password: key("auth.ownerLogin.passwordRequired"),
    },
    failed: key("auth.ownerLogin.failed"),
    failedText: key("auth.ownerLogin.failedText"),
    send: loginOwner,
    onSignedIn: async (user) => {
      await onSignedIn(user);
      toast.success(t("auth.ownerLogin.success"));
    },
  });
  const { asked } = form;
  return (
    <FormPage
      onSubmit={form.onSubmit}
      loading={form.pending}
      {...form.refusal}
      submitLabel={
        asked?.chosen === "passkey" ? t("auth.factor.usePasskey") : t("auth.ownerLogin.submit")
      }
      pendingLabel={t("auth.ownerLogin.pending")}
      wideSubmit
    >
      <TextInput
        {...form.text("signInName")}
        label={t("auth.ownerLogin.name")}
        autoComplete="username"
        plain
      />
      <PasswordInput
        {...form.text("password")}
        label={t("auth.password")}
        hint={t("auth.ownerLogin.caseNote")}
        autoComplete="current-password"
      />
      {asked ? (
        <FactorFields form={form} asked={asked} />
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <CheckboxInput {...form.remember} label={t("auth.ownerLogin.remember")} />
          <AuthLink to="/forgot-password">{t("auth.ownerLogin.forgot")}</AuthLink>
        </div>
      )}
    </FormPage>
  );
}
