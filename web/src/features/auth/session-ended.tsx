import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  changeSession,
  isSamePerson,
  resumeSession,
  sessionQuery,
  type User,
} from "#/session/session";
import { sessionEnded, showSignIn, useSignInShown } from "#/session/session-end";
import { audienceOf } from "#/domain/permissions";
import { initialsOf, personName } from "#/domain/person";
import type { TextKey } from "#/i18n/key";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { PasswordField } from "#/shared/form/fields/password-field";
import { FormPage } from "#/shared/form/form-page";
import { useAppForm } from "#/shared/form/use-app-form";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { toast } from "#/shared/toast/store";
import { Brand } from "#/shared/ui/brand";
import { Button } from "#/shared/ui/button";
import { Cover } from "./cover";
import { LanguageSwitch } from "#/shared/ui/language-switch";
import { loginOperator, loginOwner } from "./calls";
import { noFactor, useAskedFactor, type FactorKind, type FactorValues } from "./factor";
import { FactorFields } from "./factor-fields";
import { signInAgainSchema } from "./schema";
import { signInNameOf } from "./sign-in-name";
import { useFactorRefusal } from "./use-factor-refusal";

/**
 * Shown when the session of the person on screen is over. Their page stays underneath with all that
 * was typed, and comes back when they do; for anybody else it is dropped.
 */
export function SessionEnded({ user }: { user: User }) {
  const asked = useSignInShown();
  useReturnInAnotherTab(user);
  // An operator goes on entering; a panel on the page opens this.
  if (audienceOf(user) === "operator" && !asked) return null;
  return <SignInCover user={user} />;
}

function SignInCover({ user }: { user: User }) {
  const { t } = useTranslation();
  // What failed for want of a session is told by this page, and stands beside its own button.
  useEffect(() => toast.dismiss(), []);
  return (
    <Cover
      header={
        <>
          <Brand />
          <LanguageSwitch />
        </>
      }
      title={t("auth.ended.title")}
      description={t("auth.ended.text")}
    >
      <SignInAgain user={user} />
    </Cover>
  );
}

function SignInAgain({ user }: { user: User }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { form, asked, choose, login, refused, leave } = useSignInAgain(user);
  const name = signInNameOf(user);
  return (
    <FormPage
      onSubmit={form.handleSubmit((values) => login.mutate(values))}
      loading={login.isPending}
      submitError={refused && errorText(refused, "auth.ownerLogin.failedText")}
      submitLabel={
        asked?.chosen === "passkey" ? t("auth.factor.usePasskey") : t("auth.ownerLogin.submit")
      }
      pendingLabel={t("auth.ownerLogin.pending")}
      wideSubmit
      secondary={
        <>
          {audienceOf(user) === "operator" && (
            <Button wide onClick={() => showSignIn(false)}>
              {t("device.session.later")}
            </Button>
          )}
          <Button variant="quiet" wide onClick={leave}>
            {t("auth.ended.someoneElse")}
          </Button>
        </>
      }
    >
      <Person user={user} />
      {/* Password managers find the password by this name. */}
      <input type="text" autoComplete="username" value={name} readOnly hidden />
      <PasswordField
        control={form.control}
        name="password"
        label={t("auth.password")}
        hint={t("auth.ended.caseNote")}
        autoComplete="current-password"
      />
      {asked && (
        <FactorFields
          control={form.control}
          names={{ totp: "totp", recoveryCode: "recoveryCode" }}
          asked={asked}
          onChoose={choose}
        />
      )}
      {/* Staff sessions are never kept. */}
      {user.role !== "support" && (
        <CheckboxField
          control={form.control}
          name="rememberMe"
          label={t("auth.ownerLogin.remember")}
        />
      )}
    </FormPage>
  );
}

function Person({ user }: { user: User }) {
  const name = personName(user);
  const signInName = signInNameOf(user);
  return (
    <div className="flex items-center gap-3 rounded-(--control-radius) border border-line bg-sunken px-3.5 py-2.5">
      <span
        aria-hidden
        className="grid size-10 shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-accent"
      >
        {initialsOf(name)}
      </span>
      <div className="min-w-0">
        <p className="font-semibold break-words">{name}</p>
        {signInName !== name && <p className="text-sm break-words text-muted">{signInName}</p>}
      </div>
    </div>
  );
}

function useSignInAgain(user: User) {
  const client = useQueryClient();
  const router = useRouter();
  const { t } = useTranslation();
  const factor = useAskedFactor();
  const refuseFactor = useFactorRefusal();
  const { asked } = factor;
  const form = useAppForm(signInAgainSchema(asked), {
    password: "",
    rememberMe: false,
    ...noFactor,
  });
  const name = signInNameOf(user);
  const refuse = (field: keyof FactorValues, message: TextKey) => {
    form.setValue(field, "");
    form.setError(field, { type: "server", message }, { shouldFocus: true });
  };
  const login = useSecretMutation({
    mutationFn: async (values: { password: string; rememberMe: boolean } & FactorValues) => {
      if (audienceOf(user) !== "operator") {
        return loginOwner({ ...values, emailOrBusinessName: name }, asked);
      }
      return (await loginOperator({ ...values, operatorName: name }, asked)).user;
    },
    onSuccess: async (back) => {
      if (isSamePerson(back, user)) return resumeSession(client, back);
      void changeSession(client, back);
      await router.navigate({ to: "/", ignoreBlocker: true });
    },
    onError: (error) => {
      const verdict = factor.judge(error, name, asked !== null);
      if (verdict === "wrong") refuseFactor(asked, t("auth.ownerLogin.failed"), refuse);
    },
  });
  const choose = (kind: FactorKind) => {
    factor.choose(kind);
    login.reset();
  };
  const leave = () => {
    const to = audienceOf(user) === "operator" ? "/employee-login" : "/login";
    void changeSession(client, null);
    void router.navigate({ to, ignoreBlocker: true });
  };
  const refused = login.error && factor.verdict === "other" ? login.error : null;
  return { form, asked, choose, login, refused, leave };
}

/** Whoever has signed in again in another tab need not do it here too. */
function useReturnInAnotherTab(user: User): void {
  const client = useQueryClient();
  useEffect(() => {
    const look = async () => {
      if (document.visibilityState !== "visible") return;
      const found = await client.fetchQuery({ ...sessionQuery, staleTime: 0 });
      if (found && !sessionEnded() && isSamePerson(found, user)) resumeSession(client, found);
    };
    const listener = () => void look().catch(() => undefined);
    document.addEventListener("visibilitychange", listener);
    return () => document.removeEventListener("visibilitychange", listener);
  }, [client, user]);
}
