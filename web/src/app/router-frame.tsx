import { useRouter, useRouterState } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, type ReactNode } from "react";
import { useSession } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { AppFrame } from "./app-frame";
import { RouteAnnouncer } from "./route-announcer";

/** The frame of the router's pages. */
export function RouterFrame({ children }: { children: ReactNode }) {
  const user = useSession();
  const router = useRouter();
  const path = useRouterState({ select: ({ location }) => location.pathname });
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
  const person = user && `${user.id} ${user.secondFactorMissing}`;
  const lastPerson = useRef(person);
  useEffect(() => {
    if (lastPerson.current === person) return;
    lastPerson.current = person;
    void router.invalidate();
  }, [person, router]);

  return (
    <AppFrame
      navigation={navigation}
      announcer={<RouteAnnouncer audience={audienceOf(user)} />}
      bare={useBare()}
    >
      {children}
    </AppFrame>
  );
}

/** Whether the page on screen has its own layout; the 404 page does not. */
function useBare(): boolean {
  return useRouterState({
    select: ({ matches }) =>
      matches.some((match) => match.staticData.bare) &&
      matches.every((match) => match.status !== "notFound"),
  });
}
