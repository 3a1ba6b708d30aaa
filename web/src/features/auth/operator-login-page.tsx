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
import { loginOperator, safeRedirect } from "./calls";
import { forgetOperator, loadRememberedOperator, rememberOperator } from "./remembered-operator";
import { operatorLoginSchema } from "./schema";

export function OperatorLoginPage() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const router = useRouter();
  const client = useQueryClient();
  const remembered = loadRememberedOperator();
  const form = useAppForm(operatorLoginSchema, {
    operatorName: remembered ?? "",
    password: "",
    rememberMe: remembered !== null,
  });
  const login = useMutation({
    mutationFn: loginOperator,
    onSuccess: ({ redirect, user }, values) => {
      if (values.rememberMe) {
        rememberOperator(values.operatorName, user.operatorUsername ?? values.operatorName);
      } else {
        forgetOperator();
      }
      changeSession(client, user);
      router.history.push(safeRedirect(redirect));
    },
    onError: (error) => {
      const title =
        toFailure(error).code === "NETWORK"
          ? t("auth.operatorLogin.error")
          : t("auth.operatorLogin.failed");
      toast.failure(title, errorText(error, "auth.operatorLogin.failedText"));
    },
  });
  const [name, password] = form.watch(["operatorName", "password"]);
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
      <FormPage
        onSubmit={form.handleSubmit((values) => login.mutate(values))}
        loading={login.isPending}
        submitError={login.error ? errorText(login.error, "auth.operatorLogin.failedText") : null}
        submitLabel={t("auth.operatorLogin.submit")}
        pendingLabel={t("auth.operatorLogin.pending")}
        disabledReason={name && password ? undefined : t("auth.operatorLogin.fillBoth")}
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
        <CheckboxField
          control={form.control}
          name="rememberMe"
          label={t("auth.operatorLogin.remember")}
          hint={t("auth.operatorLogin.rememberHint")}
        />
      </FormPage>
    </AuthFrame>
  );
}
