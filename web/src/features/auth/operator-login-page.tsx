import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { User } from "#/session/user";
import { key } from "#/i18n/key";
import { FormPage } from "#/shared/form/form-page";
import { CheckboxInput } from "#/shared/form/inputs/checkbox-input";
import { PasswordInput } from "#/shared/form/inputs/password-input";
import { TextInput } from "#/shared/form/inputs/text-input";
import { AuthFrame, AuthLink } from "./auth-frame";
import { FactorFields } from "./factor-fields";
import { Focused } from "./focused";
import { pinOfferKey } from "#/device/pin-offer";
import { forgetOperator, loadRememberedOperator, rememberOperator } from "./remembered-operator";
import { loginOperator, safeRedirect } from "./sign-in-calls";
import { useSignIn } from "./use-sign-in";

interface OperatorLoginProps {
  card: string | null;
  /** Signs the user in and navigates to `path`. */
  onSignedIn: (user: User, path: string) => Promise<void>;
  /** The people of this phone, who sign in without signal. */
  people: ReactNode;
}

export function OperatorLoginPage(props: OperatorLoginProps) {
  const { t } = useTranslation();
  return (
    <AuthFrame
      title={t("auth.operatorLogin.title")}
      subtitle={t("auth.operatorLogin.subtitle")}
      footer={
        <>
          <p>{t("auth.operatorLogin.noPassword")}</p>
          <p>
            {t("auth.operatorLogin.areYouOwner")}{" "}
            <AuthLink to="/login">{t("auth.operatorLogin.ownerLogin")}</AuthLink>
          </p>
        </>
      }
    >
      {props.people}
      <OperatorLoginForm {...props} />
    </AuthFrame>
  );
}

function OperatorLoginForm(props: OperatorLoginProps) {
  const { t } = useTranslation();
  const form = useOperatorLogin(props);
  const { asked } = form;
  const { signInName, password } = form.values;
  return (
    <FormPage
      onSubmit={form.onSubmit}
      loading={form.pending}
      {...form.refusal}
      submitLabel={
        asked?.chosen === "passkey" ? t("auth.factor.usePasskey") : t("auth.operatorLogin.submit")
      }
      pendingLabel={t("auth.operatorLogin.pending")}
      disabledReason={
        signInName.trim() !== "" && password !== "" ? undefined : t("auth.operatorLogin.fillBoth")
      }
      wideSubmit
    >
      <TextInput
        {...form.text("signInName")}
        label={t("auth.operatorLogin.name")}
        hint={t("auth.operatorLogin.nameHint")}
        autoComplete="username"
        plain
      />
      {/* The card provides the name, so the password field has focus. */}
      <Focused when={props.card !== null}>
        <PasswordInput
          {...form.text("password")}
          label={t("auth.password")}
          hint={t("auth.operatorLogin.caseNote")}
          autoComplete="current-password"
        />
      </Focused>
      {/* Only an owner who signs in here with their own password needs it. */}
      {asked && <FactorFields form={form} asked={asked} />}
      <CheckboxInput
        {...form.remember}
        label={t("auth.operatorLogin.remember")}
        hint={t("auth.operatorLogin.rememberHint")}
      />
    </FormPage>
  );
}

function useOperatorLogin({ card, onSignedIn }: OperatorLoginProps) {
  const [remembered] = useState(loadRememberedOperator);
  return useSignIn({
    initial: { signInName: card ?? remembered ?? "", rememberMe: remembered !== null },
    required: {},
    failed: key("auth.operatorLogin.failed"),
    failedText: key("auth.operatorLogin.failedText"),
    unanswered: key("auth.operatorLogin.error"),
    send: loginOperator,
    onSignedIn: ({ redirect, user }, { signInName, rememberMe }) => {
      const name = signInName.trim();
      if (rememberMe) rememberOperator(name, user.operatorUsername ?? name);
      else forgetOperator();
      // After the scan of a card, the phone offers a PIN immediately.
      if (card !== null) sessionStorage.setItem(pinOfferKey, "1");
      return onSignedIn(user, safeRedirect(redirect));
    },
  });
}
