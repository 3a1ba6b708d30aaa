import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import {
  changeSession,
  isSamePerson,
  resumeSession,
  sessionQuery,
  type User,
} from "#/session/session";
import { dispatch, getSession, useSessionState } from "#/session/state";
import { audienceOf } from "#/domain/permissions";
import { initialsOf, personName } from "#/domain/person";
import { key } from "#/i18n/key";
import { FormPage } from "#/shared/form/form-page";
import { CheckboxInput } from "#/shared/form/inputs/checkbox-input";
import { PasswordInput } from "#/shared/form/inputs/password-input";
import { useNavigation } from "#/shared/navigation";
import { toast } from "#/shared/toast/store";
import { Brand } from "#/shared/ui/brand";
import { Button } from "#/shared/ui/button";
import { Cover } from "./cover";
import { LanguageSwitch } from "#/shared/language-switch";
import { FactorFields } from "./factor-fields";
import { loginOperator, loginOwner } from "./sign-in-calls";
import { signInNameOf } from "./sign-in-name";
import { useSignIn } from "./use-sign-in";

/**
 * Shown when the session of the current user has ended. The page underneath keeps typed values and
 * continues when the same user signs in again; for another user it is discarded.
 */
export function SessionEnded({ user }: { user: User }) {
  const asked = useSessionState(({ signInOpen }) => signInOpen);
  useReturnInAnotherTab(user);
  // Operators keep working; a panel on their page opens the sign-in.
  if (audienceOf(user) === "operator" && !asked) return null;
  return <SignInCover user={user} />;
}

function SignInCover({ user }: { user: User }) {
  const { t } = useTranslation();
  const byPin = useSessionState(({ status }) => status === "pin");
  // This dialog explains the failure of the last call, so its toast is closed.
  useEffect(() => toast.dismiss(), []);
  return (
    <Cover
      header={
        <>
          <Brand />
          <LanguageSwitch />
        </>
      }
      title={byPin ? t("phone.signIn.title") : t("auth.ended.title")}
      description={byPin ? t("phone.signIn.text") : t("auth.ended.text")}
    >
      <SignInAgain user={user} />
    </Cover>
  );
}

function SignInAgain({ user }: { user: User }) {
  const { t } = useTranslation();
  const { form, leave } = useSignInAgain(user);
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
      secondary={
        <>
          {audienceOf(user) === "operator" && (
            <Button wide onClick={() => dispatch({ type: "signInShown", open: false })}>
              {t("auth.ended.later")}
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
      <input type="text" autoComplete="username" value={form.values.signInName} readOnly hidden />
      <PasswordInput
        {...form.text("password")}
        label={t("auth.password")}
        hint={t("auth.ended.caseNote")}
        autoComplete="current-password"
      />
      {asked && <FactorFields form={form} asked={asked} />}
      {/* Staff sessions always end with the browser. */}
      {user.role !== "support" && (
        <CheckboxInput {...form.remember} label={t("auth.ownerLogin.remember")} />
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
  const navigation = useNavigation();
  const isOperator = audienceOf(user) === "operator";
  const form = useSignIn({
    initial: { signInName: signInNameOf(user) },
    required: { password: key("auth.ownerLogin.passwordRequired") },
    failed: key("auth.ownerLogin.failed"),
    failedText: key("auth.ownerLogin.failedText"),
    send: async (values, asked) =>
      isOperator ? (await loginOperator(values, asked)).user : loginOwner(values, asked),
    onSignedIn: async (back) => {
      if (isSamePerson(back, user)) return resumeSession(client, back);
      void changeSession(client, back);
      await navigation.go("/", { ignoreBlocker: true });
    },
  });
  const leave = () => {
    void changeSession(client, null);
    void navigation.go(isOperator ? "/employee-login" : "/login", { ignoreBlocker: true });
  };
  return { form, leave };
}

/** Closes the dialog if the user has signed in again in another tab. */
function useReturnInAnotherTab(user: User): void {
  const client = useQueryClient();
  useEffect(() => {
    const checkSessionAgain = async () => {
      if (document.visibilityState !== "visible") return;
      const found = await client.fetchQuery({ ...sessionQuery, staleTime: 0 });
      const { status } = getSession();
      if (found && status === "active" && isSamePerson(found, user)) resumeSession(client, found);
    };
    const listener = () => void checkSessionAgain().catch(() => undefined);
    document.addEventListener("visibilitychange", listener);
    return () => document.removeEventListener("visibilitychange", listener);
  }, [client, user]);
}
