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

/** The frame of every page: the header for signed-in users. Visitors' pages have their own. */
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

  // Guards run on navigation. A sign-in, a logout, an ended session or a newly required second
  // factor must also run them.
  const person = user && `${user.id} ${user.secondFactorMissing}`;
  const lastPerson = useRef(person);
  useEffect(() => {
    if (lastPerson.current === person) return;
    lastPerson.current = person;
    void router.invalidate();
  }, [person, router]);

  // Removes a password that an older version may have stored.
  useEffect(() => void loadRememberedOperator(), []);

  // Set on the root element, because dialogs and menus render outside this tree.
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

/** Changes when another user signs in, so that React discards the previous user's components. */
function useGeneration(user: User | null): number {
  const [shown, setShown] = useState({ user, generation: 0 });
  if (shown.user === user) return shown.generation;
  const replaced = shown.user !== null && user !== null && !isSamePerson(shown.user, user);
  const generation = shown.generation + (replaced ? 1 : 0);
  setShown({ user, generation });
  return generation;
}
