import { useRouter, useRouterState } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, type ReactNode } from "react";
import { useSession, type User } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { AppFrame } from "./app-frame";
import { isHome } from "./load-home";
import { RouteAnnouncer } from "./route-announcer";

/** The frame of the router's pages. */
export function RouterFrame({ children }: { children: ReactNode }) {
  const user = useSession();
  const router = useRouter();
  const audience = audienceOf(user);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  // All addresses of the home page are one in the menu.
  const path = isHome(pathname, audience) ? "/" : pathname;
  const navigation = useMemo(
    () => ({
      path,
      go: (href: string, options?: { ignoreBlocker: boolean }) =>
        router.navigate({ href, ...options }),
      prepare: (href: string) => void router.preloadRoute({ to: ".", href }),
    }),
    [router, path],
  );

  // Guards run on navigation. A sign-in, a logout, an ended session or a newly required second
  // factor must also run them.
  const person = personOf(user);
  const guarded = useRouterState({ select: ({ matches }) => matches[0]?.context.user });
  const lastPerson = useRef(guarded === undefined ? person : personOf(guarded));
  useEffect(() => {
    if (lastPerson.current === person) return;
    lastPerson.current = person;
    void router.invalidate();
  }, [person, router]);

  return (
    <AppFrame
      navigation={navigation}
      announcer={<RouteAnnouncer audience={audience} />}
      bare={useBare()}
    >
      {children}
    </AppFrame>
  );
}

/** Null for a visitor. */
const personOf = (user: User | null): string | null =>
  user && `${user.id} ${user.secondFactorMissing}`;

/** Whether the page on screen has its own layout; the 404 page does not. */
function useBare(): boolean {
  return useRouterState({
    select: ({ matches }) =>
      matches.some((match) => match.staticData.bare) &&
      matches.every((match) => match.status !== "notFound"),
  });
}
