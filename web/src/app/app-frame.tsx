import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "#/api/session";
import { audienceOf } from "#/domain/permissions";
import { ReauthDialog } from "#/features/auth/reauth-dialog";
import { Header } from "./header";
import { RouteAnnouncer } from "./route-announcer";

// Only operators load it.
const OutboxKeeper = lazy(() =>
  import("#/features/operator/outbox-keeper").then((module) => ({ default: module.OutboxKeeper })),
);

/** What stands around every page: the header of whoever is signed in; visitors' pages bring their own. */
export function AppFrame({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const user = useSession();
  const router = useRouter();
  const audience = audienceOf(user);

  // The guards run on navigation; a login, a logout or an ended session must run them too.
  const person = user?.id ?? null;
  const known = useRef(person);
  useEffect(() => {
    if (known.current === person) return;
    known.current = person;
    void router.invalidate();
  }, [person, router]);

  // On the root element, because dialogs and menus are rendered outside this tree.
  useEffect(() => {
    if (audience === "operator") document.documentElement.dataset.density = "touch";
    else delete document.documentElement.dataset.density;
  }, [audience]);

  return (
    <>
      <RouteAnnouncer audience={audience} />
      <a
        href="#main"
        className="sr-only z-50 rounded-control bg-accent px-4 py-2 font-semibold text-accent-on focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {t("shell.skipToContent")}
      </a>
      {user ? (
        <>
          <Header user={user} />
          {audience === "operator" && (
            <Suspense>
              <OutboxKeeper key={user.id} userId={user.id} />
            </Suspense>
          )}
          <main id="main" className="mx-auto max-w-(--container-page) px-4 py-6 lg:px-6 lg:py-8">
            {children}
          </main>
          <ReauthDialog />
        </>
      ) : (
        children
      )}
    </>
  );
}
