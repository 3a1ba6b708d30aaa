import { useEffect, useEffectEvent, useRef, type ReactNode } from "react";
import { useSession, type User } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { key } from "#/i18n/key";
import type { RouterContext } from "#/router";
import type { Navigation } from "#/shared/navigation";
import { AppFrame } from "./app-frame";
import { isHome, loadPages } from "./load-home";
import { OperatorHome } from "./operator-home";
import { PageAnnouncer } from "./page-announcer";
import { PagePending } from "./page-pending";

/** Whether the operator page is shown to `user` at `path`. */
export const isOperatorStart = (user: User | null, path: string): boolean =>
  audienceOf(user) === "operator" && isHome(path, "operator");

/**
 * The operator page without the router, so that it starts with less code. Any other page, also
 * after a change of the session, is shown by the router.
 */
export function OperatorStart({
  context,
  onPages,
}: {
  context: RouterContext;
  onPages: (pages: ReactNode) => void;
}) {
  const isOperator = audienceOf(useSession()) === "operator";
  /** The path that is opening; the last one if several are. */
  const opening = useRef<string>(null);

  const go: Navigation["go"] = async (path, options) => {
    // After a change of the session, the same path is another page.
    if (!options?.ignoreBlocker && isHome(path, "operator")) return;
    const isLoading = opening.current !== null;
    opening.current = path;
    if (isLoading) return;
    try {
      const { createPages } = await loadPages();
      if (opening.current !== window.location.pathname) {
        window.history.pushState(null, "", opening.current);
      }
      onPages(await createPages({ ...context, isContinued: true }));
    } catch {
      // The document may be cached although the code is not loaded.
      window.location.assign(opening.current);
    }
  };
  const leave = useEffectEvent(() => {
    if (opening.current === null) void go(window.location.pathname, { ignoreBlocker: true });
  });
  useEffect(() => {
    if (!isOperator) leave();
  }, [isOperator]);

  return (
    <AppFrame
      navigation={{
        path: "/",
        go,
        prepare: () => void loadPages().catch(() => undefined),
      }}
      announcer={
        <PageAnnouncer
          title={key("shell.titles.equipmentUpdates")}
          onNewPage={context.isContinued ? onceNow : never}
        />
      }
    >
      {isOperator ? <OperatorHome /> : <PagePending />}
    </AppFrame>
  );
}

const never = () => () => undefined;

const onceNow = (listener: () => void) => {
  listener();
  return () => undefined;
};
