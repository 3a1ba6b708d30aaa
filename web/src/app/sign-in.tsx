import { StrictMode, Suspense, useEffect } from "react";
import type { Root } from "react-dom/client";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import type { Identity } from "#/device/identity";
import { userOf, type User } from "#/session/user";
import { operatorLoginSearch } from "#/features/auth/card-search";
import { OperatorLoginPage } from "#/features/auth/operator-login-page";
import { OwnerLoginPage } from "#/features/auth/owner-login-page";
import { loadRememberedOperator } from "#/features/auth/remembered-operator";
import { usePageTitle } from "#/shared/document-title";
import { whenIdle } from "#/shared/idle";
import { ToasterOnDemand } from "#/shared/toast/toaster-on-demand";
import { loadHome } from "./load-home";
import { PhonePeople } from "./lazy-phone";
import { registerServiceWorker } from "./service-worker/register";
import { SkipLink } from "./skip-link";
import "../styles/sign-in.css";

/**
 * Renders the sign-in page at the current address without the application, which loads in the
 * background and replaces it after a sign-in. Within the application, routes show the same pages.
 */
export function showSignIn(root: Root): void {
  const { pathname, search } = window.location;
  const enter = async (user: User, path: string) => {
    const { enterApp } = await import("./app-root");
    await enterApp(root, user, path);
  };
  const enterByPin = async (user: Identity) => {
    const { enterApp } = await import("./app-root");
    await enterApp(root, userOf(user), "/simple-operator", true);
  };
  root.render(
    <StrictMode>
      <SkipLink />
      {pathname === "/login" ? (
        <OwnerSignIn enter={enter} />
      ) : (
        <OperatorSignIn enter={enter} enterByPin={enterByPin} search={search} />
      )}
      <ToasterOnDemand />
    </StrictMode>,
  );
}

type Enter = (user: User, path: string) => Promise<void>;

function OwnerSignIn({ enter }: { enter: Enter }) {
  const { t } = useTranslation();
  usePageTitle(t("shell.titles.ownerLogin"));
  useSignInStart("manager");
  return <OwnerLoginPage onSignedIn={(user) => enter(user, "/")} />;
}

function OperatorSignIn({
  enter,
  enterByPin,
  search,
}: {
  enter: Enter;
  enterByPin: (user: Identity) => Promise<void>;
  search: string;
}) {
  const { t } = useTranslation();
  usePageTitle(t("shell.titles.operatorLogin"));
  useSignInStart("operator");
  const { operator = null } = v.parse(
    operatorLoginSearch,
    Object.fromEntries(new URLSearchParams(search)),
  );
  return (
    <OperatorLoginPage
      card={operator}
      onSignedIn={enter}
      people={
        <Suspense>
          <PhonePeople onEnter={enterByPin} />
        </Suspense>
      }
    />
  );
}

function useSignInStart(audience: "manager" | "operator"): void {
  useEffect(() => {
    // Removes a password that an older version may have stored.
    loadRememberedOperator();
    const load = () => void loadHome(audience).catch(() => undefined);
    whenIdle(load);
    window.addEventListener("input", load, { once: true });
    return () => window.removeEventListener("input", load);
  }, [audience]);
  useEffect(() => registerServiceWorker("guest"), []);
}
