import { Fragment, Suspense, useEffect, useState, type ReactNode } from "react";
import { isSamePerson, useSession, type User } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { loadRememberedOperator } from "#/features/auth/remembered-operator";
import { lazyLoaded } from "#/shared/lazy-loaded";
import { NavigationContext, type Navigation } from "#/shared/navigation";
import { loadSignedIn } from "./load-home";
import { PagePending } from "./page-pending";
import { SkipLink } from "./skip-link";

const SignedIn = lazyLoaded(loadSignedIn);

/**
 * The frame of every page: the header for signed-in users, except on `bare` pages. Visitors' pages
 * have their own.
 */
export function AppFrame({
  navigation,
  announcer,
  bare = false,
  children,
}: {
  navigation: Navigation;
  announcer: ReactNode;
  bare?: boolean;
  children: ReactNode;
}) {
  const user = useSession();
  const audience = audienceOf(user);
  const generation = useGeneration(user);

  // Removes a password that an older version may have stored.
  useEffect(() => void loadRememberedOperator(), []);

  // Set on the root element, because dialogs and menus render outside this tree.
  useEffect(() => {
    if (audience === "operator") document.documentElement.dataset.density = "touch";
    else delete document.documentElement.dataset.density;
  }, [audience]);

  return (
    <NavigationContext value={navigation}>
      {announcer}
      <SkipLink />
      <Fragment key={generation}>
        {user ? (
          <Suspense
            fallback={
              <div className="px-4 py-16">
                <PagePending />
              </div>
            }
          >
            <SignedIn user={user} bare={bare}>
              {children}
            </SignedIn>
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
