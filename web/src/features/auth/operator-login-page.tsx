import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { useUnsentOnDevice } from "#/device/unsent";
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
import { loginOperator, safeRedirect } from "./calls";
import { noFactor, useAskedFactor, type FactorKind, type FactorValues } from "./factor";
import { FactorFields } from "./factor-fields";
import { forgetOperator, loadRememberedOperator, rememberOperator } from "./remembered-operator";
import { operatorLoginSchema } from "./schema";
import { useFactorRefusal } from "./use-factor-refusal";

/** `card`: the username from a printed access card's QR code. */
export function OperatorLoginPage({ card = null }: { card?: string | null }) {
  const { t } = useTranslation();
  return (
    <AuthFrame
      title={t("auth.operatorLogin.title")}
      subtitle={t("auth.operatorLogin.subtitle")}
      footer={
        <>
          <UnsentHere />
          <p>{t("auth.operatorLogin.noPassword")}</p>
          <p>
            {t("auth.operatorLogin.areYouOwner")}{" "}
            <AuthLink to="/login">{t("auth.operatorLogin.ownerLogin")}</AuthLink>
          </p>
        </>
      }
    >
      <OperatorLoginForm card={card} />
    </AuthFrame>
  );
}

/** What others entered on this phone waits for them; nobody else can send it. */
function UnsentHere() {
  const { t } = useTranslation();
  return useUnsentOnDevice().map(({ userId, username, unsent: count }) => (
    <p key={userId}>
      {username === null
        ? t("device.waitingHereUnknown", { count })
        : t("device.waitingHere", { count, name: username })}
    </p>
  ));
}

function OperatorLoginForm({ card }: { card: string | null }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { form, asked, choose, refused, login } = useOperatorLogin(card);
  const [name, password] = form.watch(["operatorName", "password"]);
  return (
    <FormPage
      onSubmit={form.handleSubmit((values) => login.mutate(values))}
      loading={login.isPending}
      submitError={refused && errorText(refused, "auth.operatorLogin.failedText")}
      submitLabel={
        asked?.chosen === "passkey" ? t("auth.factor.usePasskey") : t("auth.operatorLogin.submit")
      }
      pendingLabel={t("auth.operatorLogin.pending")}
      disabledReason={
        name.trim() !== "" && password !== "" ? undefined : t("auth.operatorLogin.fillBoth")
      }
      wideSubmit
    >
      <TextField
        control={form.control}
        name="operatorName"
        label={t("auth.operatorLogin.name")}
        hint={t("auth.operatorLogin.nameHint")}
        autoComplete="username"
        plain
      />
      <PasswordField
        control={form.control}
        name="password"
        label={t("auth.password")}
        hint={t("auth.operatorLogin.caseNote")}
        autoComplete="current-password"
      />
      {/* Only for an owner who signs in here with the own password. */}
      {asked && (
        <FactorFields
          control={form.control}
          names={{ totp: "totp", recoveryCode: "recoveryCode" }}
          asked={asked}
          onChoose={choose}
        />
      )}
      <CheckboxField
        control={form.control}
        name="rememberMe"
        label={t("auth.operatorLogin.remember")}
        hint={t("auth.operatorLogin.rememberHint")}
      />
    </FormPage>
  );
}

function useOperatorLogin(card: string | null) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const router = useRouter();
  const client = useQueryClient();
  const [remembered] = useState(loadRememberedOperator);
  const factor = useAskedFactor();
  const refuseFactor = useFactorRefusal();
  const form = useAppForm(operatorLoginSchema(factor.asked), {
    operatorName: card ?? remembered ?? "",
    password: "",
    rememberMe: remembered !== null,
    ...noFactor,
  });
  const asked = form.watch("operatorName") === factor.asked?.name ? factor.asked : null;
  const refuse = (field: keyof FactorValues, message: TextKey) => {
    form.setValue(field, "");
    form.setError(field, { type: "server", message }, { shouldFocus: true });
  };
  const login = useSecretMutation({
    mutationFn: (values: Parameters<typeof loginOperator>[0]) => loginOperator(values, asked),
    onSuccess: ({ redirect, user }, values) => {
      const name = values.operatorName.trim();
      if (values.rememberMe) rememberOperator(name, user.operatorUsername ?? name);
      else forgetOperator();
      void changeSession(client, user);
      router.history.push(safeRedirect(redirect));
    },
    onError: (error, { operatorName }) => {
      const verdict = factor.judge(error, operatorName, asked !== null);
      if (verdict === "wrong") refuseFactor(asked, t("auth.operatorLogin.failed"), refuse);
      if (verdict !== "other") return;
      const unanswered = ["NETWORK", "TIMEOUT"].includes(toFailure(error).code ?? "");
      const title = unanswered ? t("auth.operatorLogin.error") : t("auth.operatorLogin.failed");
      toast.failure(title, errorText(error, "auth.operatorLogin.failedText"));
    },
  });
  const { setFocus } = form;
  // The card has given the name, so the password is what is left to type.
  useEffect(() => {
    if (card !== null) setFocus("password");
  }, [card, setFocus]);
  const refused = login.error && factor.verdict === "other" ? login.error : null;
  const choose = (kind: FactorKind) => {
    factor.choose(kind);
    login.reset();
  };
  return { form, asked, choose, refused, login };
}
