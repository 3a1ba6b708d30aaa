import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { QRCodeSVG } from "qrcode.react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { rest } from "#/api/rest";
import { changeSession } from "#/session/session";
import { withExclusiveSessionLock } from "#/session/session-lock";
import { userSchema } from "#/session/user";
import { PasswordField } from "#/shared/form/fields/password-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { toast } from "#/shared/toast/store";
import { AuthFrame, AuthLink } from "./auth-frame";
import { codeDigits } from "./factor";
import { staffCodeSchema, staffEnrolmentSchema } from "./staff-enrolment-schema";

const enrolmentSchema = v.object({
  email: v.string(),
  name: v.string(),
  secret: v.string(),
  url: v.string(),
});

/** The name for which the enrolment code was issued. */
interface Enrolment extends v.InferOutput<typeof enrolmentSchema> {
  code: string;
}

/** Enrols support staff: a code from the command line, then the authenticator and a password. */
export function StaffEnrolmentPage() {
  const { t } = useTranslation();
  const [begun, setBegun] = useState<Enrolment | null>(null);
  return (
    <AuthFrame
      title={t("second-factor.staff.title")}
      subtitle={
        begun
          ? t("second-factor.staff.step2", { name: begun.name })
          : t("second-factor.staff.step1")
      }
      footer={
        <p>
          <AuthLink to="/login">{t("auth.ownerLogin.title")}</AuthLink>
        </p>
      }
    >
      {begun ? <FinishForm enrolment={begun} /> : <CodeForm onBegun={setBegun} />}
    </AuthFrame>
  );
}

function CodeForm({ onBegun }: { onBegun: (enrolment: Enrolment) => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const form = useAppForm(staffCodeSchema, { code: "" });
  const start = useSecretMutation({
    // The mutation cache keeps results, so the secret is removed here.
    mutationFn: async ({ code }: { code: string }) => {
      const path = "/api/auth/staff-enrolment";
      const found = await rest("POST", path, enrolmentSchema, { body: { code: code.trim() } });
      onBegun({ ...found, code: code.trim() });
    },
    onError: (error) => showFieldErrors(form, error, ["code"]),
  });
  return (
    <FormPage
      onSubmit={form.handleSubmit((values) => start.mutate(values))}
      loading={start.isPending}
      submitError={start.error && errorText(start.error)}
      submitLabel={t("auth.forgot.find")}
      pendingLabel={t("second-factor.staff.starting")}
      wideSubmit
    >
      <TextField
        control={form.control}
        name="code"
        label={t("second-factor.staff.code")}
        hint={t("second-factor.staff.codeHint")}
        maxLength={40}
        mono
        plain
      />
    </FormPage>
  );
}

function FinishForm({ enrolment }: { enrolment: Enrolment }) {
  const { t } = useTranslation();
  const { email, secret, url } = enrolment;
  const { form, finish, refusal } = useFinish(enrolment.code);
  return (
    <FormPage
      onSubmit={form.handleSubmit((values) => finish.mutate(values))}
      loading={finish.isPending}
      submitError={refusal}
      submitLabel={t("second-factor.staff.submit")}
      pendingLabel={t("second-factor.staff.pending")}
      wideSubmit
    >
      <div className="flex flex-col items-center gap-3">
        {/* Dark on light with a light margin in both themes, for cameras. */}
        <QRCodeSVG
          value={url}
          size={192}
          marginSize={4}
          title={t("second-factor.app.qr")}
          className="rounded-card border border-line"
        />
        <p className="text-center text-sm text-muted">{t("second-factor.app.secretText")}</p>
        <p className="text-center font-mono text-sm select-all">
          {secret.replace(/(.{4})(?=.)/g, "$1 ")}
        </p>
      </div>
      <TextField
        control={form.control}
        name="totp"
        label={t("auth.ownerLogin.totp")}
        hint={t("auth.ownerLogin.totpHint")}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={9}
        mono
        plain
      />
      {/* Tells a password manager which account this is. */}
      <input type="text" autoComplete="username" value={email} readOnly hidden />
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

function useFinish(code: string) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const router = useRouter();
  const client = useQueryClient();
  const form = useAppForm(staffEnrolmentSchema, { totp: "", newPassword: "", confirmPassword: "" });
  const finish = useSecretMutation({
    mutationFn: ({ totp, newPassword }: { totp: string; newPassword: string }) => {
      const body = { code, totp: codeDigits(totp), newPassword };
      return withExclusiveSessionLock(() =>
        rest("POST", "/api/auth/staff-enrolment/finish", userSchema, { body }),
      );
    },
    onSuccess: async (user) => {
      void changeSession(client, user);
      toast.success(t("second-factor.staff.done"));
      await router.navigate({ to: "/" });
    },
    onError: (error) => showFieldErrors(form, error, ["totp", "newPassword"]),
  });
  return { form, finish, refusal: finish.error && errorText(finish.error) };
}
