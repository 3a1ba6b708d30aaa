import { useEffect, useEffectEvent, useRef, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { identityWritten, useSession } from "#/session/session";
import { getSession } from "#/session/state";
import { audienceOf } from "#/domain/permissions";
import { key } from "#/i18n/key";
import type { AppRouter } from "#/router";
import type { RouterContext } from "#/router-context";
import type { Navigation } from "#/shared/navigation";
import { toast } from "#/shared/toast/store";
import { AppFrame } from "./app-frame";
import { CatchError } from "./catch-error";
import { isOperatorStart } from "./is-operator-start";
import { loadPages } from "./load-home";
import { OperatorHome } from "./operator-home";
import { PageAnnouncer } from "./page-announcer";
import { PagePending } from "./page-pending";

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
  const { t } = useTranslation();
  const isOperator = audienceOf(useSession()) === "operator";
  /** The path to open, the last one if several are. */
  const target = useRef<string>(null);
  const router = useRef<AppRouter>(null);

  const open = async (path: string) => {
    const isLoading = target.current !== null;
    target.current = path;
    if (isLoading) return;
    try {
      const { createAppRouter, Pages } = await loadPages();
      if (target.current !== window.location.pathname) {
        window.history.pushState(null, "", target.current);
      }
      router.current = createAppRouter({ ...context, isContinued: true });
      onPages(<Pages router={router.current} />);
    } catch {
      const failed = target.current;
      target.current = null;
      if (isOperatorStart(getSession().user, window.location.pathname)) {
        return toast.failure(t("errors.network"));
      }
      // The document may be cached although the code is not loaded.
      await identityWritten();
      window.location.assign(failed);
    }
  };
  const go: Navigation["go"] = async (path, options) => {
    // A logout may continue after the router has replaced this page.
    if (router.current) await router.current.navigate({ href: path, ...options });
    else if (!isOperatorStart(getSession().user, path)) await open(path);
  };

  const leave = () => {
    if (target.current === null) void open(window.location.pathname);
  };
  const onSessionChange = useEffectEvent(leave);
  useEffect(() => {
    if (!isOperator) onSessionChange();
  }, [isOperator]);

  // The history has the router's pages after a reload.
  const goBack = useEffectEvent(() => void go(window.location.pathname));
  useEffect(() => {
    const listener = () => goBack();
    window.addEventListener("popstate", listener);
    return () => window.removeEventListener("popstate", listener);
  }, []);

  return (
    <AppFrame
      navigation={{ path: "/", go, prepare: () => void loadPages().catch(() => undefined) }}
      announcer={
        <PageAnnouncer
          title={key("shell.titles.equipmentUpdates")}
          onNewPage={context.isContinued ? announceNow : announceNothing}
        />
      }
    >
      {isOperator ? (
        // The router's pages have an error page.
        <CatchError fallback={<PagePending />} onError={leave}>
          <OperatorHome />
        </CatchError>
      ) : (
        <PagePending />
      )}
    </AppFrame>
  );
}

const announceNothing = () => () => undefined;

const announceNow = (listener: () => void) => {
  listener();
  return () => undefined;
};
