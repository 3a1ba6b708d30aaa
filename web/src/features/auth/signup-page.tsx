import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { planCatalogueQuery } from "#/api/plans";
import type { Tier } from "#/domain/plan";
import { changeSession } from "#/session/session";
import { chosenPlan } from "#/shared/chosen-plan";
import { useFormat } from "#/shared/format/use-format";
import { usePlanText } from "#/shared/words/plan-text";
import { useTrialLength } from "#/shared/words/trial";
import { PasswordField } from "#/shared/form/fields/password-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { toast } from "#/shared/toast/store";
import { AuthFrame, AuthLink } from "./auth-frame";
import { signUp } from "./calls";
import { signupSchema } from "./schema";

export function SignupPage({
  plan,
}: {
  /** Chosen on the landing page. */
  plan: Tier | undefined;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const router = useRouter();
  const client = useQueryClient();
  const catalogue = useQuery(planCatalogueQuery).data;
  const trial = useTrialLength(catalogue?.trialDays);
  const chosen = catalogue?.plans.find(({ tier }) => tier === plan);
  const { name } = usePlanText();
  const format = useFormat();
  const form = useAppForm(signupSchema, {
    businessName: "",
    firstName: "",
    lastName: "",
    email: "",
    password: "",
    confirmPassword: "",
  });
  const signup = useSecretMutation({
    mutationFn: signUp,
    onSuccess: async (user) => {
      void changeSession(client, user);
      if (plan) chosenPlan.set(plan);
      toast.success(t("auth.signup.success"));
      await router.navigate({ to: "/security-questions" });
    },
    onError: (error) => {
      showFieldErrors(form, error, ["businessName", "firstName", "lastName", "email", "password"]);
    },
  });
  return (
    <AuthFrame
      title={t("auth.signup.title")}
      subtitle={
        <>
          {trial ? t("auth.signup.promise", { trial }) : t("auth.signup.promiseShort")}
          {chosen && (
            <span className="block">
              {t("auth.signup.plan", {
                plan: name(chosen.tier),
                price: format.money(chosen.monthlyCents),
              })}
            </span>
          )}
        </>
      }
      footer={
        <p>
          {t("auth.signup.haveAccount")} <AuthLink to="/login">{t("auth.signup.signIn")}</AuthLink>
        </p>
      }
    >
      <FormPage
        onSubmit={form.handleSubmit((values) => signup.mutate(values))}
        loading={signup.isPending}
        submitError={signup.error ? errorText(signup.error, "auth.signup.failedText") : null}
        errorTitle={t("auth.signup.failed")}
        submitLabel={t("auth.signup.submit")}
        pendingLabel={t("auth.signup.pending")}
        wideSubmit
      >
        <TextField
          control={form.control}
          name="businessName"
          label={t("auth.signup.businessName")}
          hint={t("auth.signup.businessNameHint")}
          autoComplete="organization"
          maxLength={100}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            control={form.control}
            name="firstName"
            label={t("auth.signup.firstName")}
            autoComplete="given-name"
            maxLength={100}
          />
          <TextField
            control={form.control}
            name="lastName"
            label={t("auth.signup.lastName")}
            autoComplete="family-name"
            maxLength={100}
          />
        </div>
        <TextField
          control={form.control}
          name="email"
          type="email"
          label={t("auth.signup.email")}
          autoComplete="email"
          plain
        />
        <PasswordField
          control={form.control}
          name="password"
          label={t("auth.password")}
          hint={t("auth.signup.passwordHint")}
          autoComplete="new-password"
        />
        <PasswordField
          control={form.control}
          name="confirmPassword"
          label={t("auth.signup.confirmPassword")}
          autoComplete="new-password"
        />
      </FormPage>
    </AuthFrame>
  );
}
