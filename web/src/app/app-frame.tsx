import { useRouter } from "@tanstack/react-router";
import {
  Fragment,
  lazy,
  Suspense,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from "react";
import { isSamePerson, useSession, type User } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { loadRememberedOperator } from "#/features/auth/remembered-operator";
import { NavigationContext } from "#/shared/navigation";
import { PagePending } from "./page-pending";
import { RouteAnnouncer } from "./route-announcer";
import { SkipLink } from "./skip-link";

const SignedIn = lazy(() => import("./signed-in").then((module) => ({ default: module.SignedIn })));

/** What stands around every page: the header of whoever is signed in; visitors' pages bring their own. */
export function AppFrame({ children }: { children: ReactNode }) {
  const user = useSession();
  const router = useRouter();
  const audience = audienceOf(user);
  const generation = useGeneration(user);

  const navigation = useMemo(
    () => ({
      go: (href: string) => void router.navigate({ href }),
      prepare: (href: string) => void router.preloadRoute({ to: ".", href }),
    }),
    [router],
  );

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
    <NavigationContext value={navigation}>
      <RouteAnnouncer audience={audience} />
      <SkipLink />
      <Fragment key={generation}>
        {user ? (
          <Suspense fallback={<PagePending />}>
            <SignedIn user={user}>{children}</SignedIn>
          </Suspense>
        ) : (
          children
        )}
      </Fragment>
    </NavigationContext>
  );
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
