import { useRouter, useRouterState } from "@tanstack/react-router";
import { Fragment, lazy, Suspense, useEffect, useRef, useState, type ReactNode } from "react";
import { isSamePerson, useSession, type User } from "#/api/session";
import { useSessionEnded } from "#/api/session-end";
import { audienceOf } from "#/domain/permissions";
import { ReauthDialog } from "#/features/auth/reauth-dialog";
import { loadRememberedOperator } from "#/features/auth/remembered-operator";
import { Header } from "./header";
import { RouteAnnouncer } from "./route-announcer";
import { SkipLink } from "./skip-link";

// Only operators load it.
const OutboxKeeper = lazy(() =>
  import("#/features/operator/outbox-keeper").then((module) => ({ default: module.OutboxKeeper })),
);

// Only owners and managers load it.
const LiveUpdates = lazy(() =>
  import("#/shared/live/live-updates").then((module) => ({ default: module.LiveUpdates })),
);

const AccessBanner = lazy(() =>
  import("#/features/billing/access-banner").then((module) => ({ default: module.AccessBanner })),
);

// Rarely needed.
const SessionEnded = lazy(() =>
  import("#/features/auth/session-ended").then((module) => ({ default: module.SessionEnded })),
);
const NoticeList = lazy(() =>
  import("#/features/notices/notice-list").then((module) => ({ default: module.NoticeList })),
);

/** What stands around every page: the header of whoever is signed in; visitors' pages bring their own. */
export function AppFrame({ children }: { children: ReactNode }) {
  const user = useSession();
  const router = useRouter();
  const audience = audienceOf(user);
  const generation = useGeneration(user);

  // The guards run on navigation; a login, a logout or an ended session must run them too.
  // So must a second factor that the company begins to require.
  const person = user && `${user.id} ${user.secondFactorMissing}`;
  const known = useRef(person);
  useEffect(() => {
    if (known.current === person) return;
    known.current = person;
    void router.invalidate();
  }, [person, router]);

  // Reading it takes a password out that an older build may have stored with it.
  useEffect(() => void loadRememberedOperator(), []);

  // On the root element, because dialogs and menus are rendered outside this tree.
  useEffect(() => {
    if (audience === "operator") document.documentElement.dataset.density = "touch";
    else delete document.documentElement.dataset.density;
  }, [audience]);

  return (
    <>
      <RouteAnnouncer audience={audience} />
      <SkipLink />
      <Fragment key={generation}>
        {user ? <SignedIn user={user}>{children}</SignedIn> : children}
      </Fragment>
    </>
  );
}

function SignedIn({ user, children }: { user: User; children: ReactNode }) {
  const ended = useSessionEnded();
  const audience = audienceOf(user);
  const bare = useBare();
  return (
    <>
      {!bare && <Header user={user} />}
      {audience === "operator" && (
        <Suspense>
          <OutboxKeeper key={user.id} userId={user.id} />
        </Suspense>
      )}
      {audience === "manager" && !user.secondFactorMissing && (
        <Suspense>
          <LiveUpdates />
        </Suspense>
      )}
      {user.notices.length > 0 && !bare && (
        <Suspense>
          <NoticeList notices={user.notices} audience={audience} />
        </Suspense>
      )}
      {audience === "manager" && !bare && (
        <Suspense>
          <AccessBanner />
        </Suspense>
      )}
      {bare ? (
        children
      ) : (
        <main id="main" className="mx-auto max-w-(--container-page) px-4 py-6 lg:px-6 lg:py-8">
          {children}
        </main>
      )}
      <ReauthDialog user={user} />
      {ended && (
        <Suspense>
          <SessionEnded user={user} />
        </Suspense>
      )}
    </>
  );
}

/** Whether the page on screen brings its whole layout; the one for unknown paths does not. */
function useBare(): boolean {
  return useRouterState({
    select: ({ matches }) =>
      matches.some((match) => match.staticData.bare) &&
      matches.every((match) => match.status !== "notFound"),
  });
}

/** Rises when one person takes another's place, so that nothing on screen outlives its owner. */
function useGeneration(user: User | null): number {
  const [shown, setShown] = useState({ user, generation: 0 });
  if (shown.user === user) return shown.generation;
  const replaced = shown.user !== null && user !== null && !isSamePerson(shown.user, user);
  const generation = shown.generation + (replaced ? 1 : 0);
  setShown({ user, generation });
  return generation;
}
