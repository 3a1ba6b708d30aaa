import { useEffect, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { toFailure } from "#/api/errors";
import type { User } from "#/session/user";
import { key } from "#/i18n/key";
import { FormPage } from "#/shared/form/form-page";
import { CheckboxInput } from "#/shared/form/inputs/checkbox-input";
import { PasswordInput } from "#/shared/form/inputs/password-input";
import { TextInput } from "#/shared/form/inputs/text-input";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { AuthFrame, AuthLink } from "./auth-frame";
import { cardCode } from "./card-search";
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
  const { asked, card } = form;
  const { signInName, password } = form.values;
  return (
    <FormPage
      onSubmit={form.onSubmit}
      loading={form.pending}
      {...form.refusal}
      {...(card === "refused" && { submitError: t("auth.operatorLogin.cardUsed") })}
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
      {card === "ready" ? (
        <Notice>
          <p>{t("auth.operatorLogin.cardReady")}</p>
          <Button variant="quiet" size="small" onClick={form.usePassword}>
            {t("auth.operatorLogin.usePassword")}
          </Button>
        </Notice>
      ) : (
        // The card provides the name, so the password field has focus.
        <Focused when={props.card !== null}>
          <PasswordInput
            {...form.text("password")}
            label={t("auth.password")}
            hint={t("auth.operatorLogin.caseNote")}
            autoComplete="current-password"
          />
        </Focused>
      )}
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

/** The one-time code of a scanned card is sent in place of the password. */
type CardCode = "ready" | "refused" | "none";

function useOperatorLogin({ card, onSignedIn }: OperatorLoginProps) {
  const [remembered] = useState(loadRememberedOperator);
  const [code] = useState(cardCode);
  const [codeState, setCodeState] = useState<CardCode>(code === null ? "none" : "ready");
  useEffect(() => {
    // The code must not stay in the browser's history.
    const { pathname, search } = window.location;
    if (code !== null) window.history.replaceState(window.history.state, "", pathname + search);
  }, [code]);
  const form = useSignIn({
    initial: {
      signInName: card ?? remembered ?? "",
      password: code ?? "",
      rememberMe: remembered !== null,
    },
    required: {},
    failed: key("auth.operatorLogin.failed"),
    failedText: key("auth.operatorLogin.failedText"),
    unanswered: key("auth.operatorLogin.error"),
    send: async (values, asked) => {
      if (codeState === "refused") setCodeState("none");
      try {
        return await loginOperator(values, asked);
      } catch (error) {
        if (codeState === "ready" && toFailure(error).status === 401) {
          setCodeState("refused");
          form.clearPassword();
        }
        throw error;
      }
    },
    onSignedIn: ({ redirect, user }, { signInName, rememberMe }) => {
      const name = signInName.trim();
      if (rememberMe) rememberOperator(name, user.operatorUsername ?? name);
      else forgetOperator();
      // After the scan of a card, the phone offers a PIN immediately.
      if (card !== null) sessionStorage.setItem(pinOfferKey, "1");
      return onSignedIn(user, safeRedirect(redirect));
    },
  });
  return {
    ...form,
    card: codeState,
    usePassword: () => {
      setCodeState("none");
      form.clearPassword();
    },
  };
}
