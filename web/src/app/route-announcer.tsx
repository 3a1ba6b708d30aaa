import { useRouter, useRouterState, type StaticDataRouteOption } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Audience } from "#/domain/permissions";
import { key, type TextKey } from "#/i18n/key";
import { useNamedTitle, usePageTitle } from "#/shared/document-title";

/** Paths without a title of their own are titled by whose home they show. */
function homeTitle(audience: Audience): TextKey | null {
  switch (audience) {
    case "guest":
      return null;
    case "operator":
      return key("shell.titles.equipmentUpdates");
    case "manager":
      return key("shell.titles.dashboard");
    case "staff":
      return key("shell.titles.support");
  }
}

interface Match {
  staticData: StaticDataRouteOption;
  search: object;
  params: Readonly<Record<string, unknown>>;
  status: string;
}

/** The title of the page on screen; a page that a guard keeps back is not, so its title is not used. */
function titleOf(matches: readonly Match[]): TextKey | undefined {
  if (matches.some((match) => match.status === "notFound")) return undefined;
  const match = matches.at(-1);
  const title = match?.staticData.title;
  return typeof title === "function" ? title(match?.search ?? {}, match?.params ?? {}) : title;
}

/** Names the page in the browser's tab, and after a navigation moves focus to its heading. */
export function RouteAnnouncer({ audience }: { audience: Audience }) {
  const { t } = useTranslation();
  const router = useRouter();
  const [announced, setAnnounced] = useState("");
  const cancel = useRef<() => void>(() => undefined);
  const own = useRouterState({ select: (state) => titleOf(state.matches) });
  const titleKey = own ?? homeTitle(audience);
  const named = useNamedTitle();
  usePageTitle(named ?? (titleKey ? t(titleKey) : null));

  useEffect(() => {
    const announce = () => {
      cancel.current();
      cancel.current = whenHeadingAppears((heading) => {
        heading.focus({ preventScroll: true });
        setAnnounced(heading.textContent);
      });
    };
    if (router.options.context.isContinued) announce();
    return router.subscribe("onRendered", ({ pathChanged, fromLocation }) => {
      if (pathChanged && fromLocation) announce();
    });
  }, [router]);

  return (
    <div aria-live="polite" className="sr-only">
      {announced}
    </div>
  );
}

/** A menu that was opened while the page was still on its way; it would close if it lost focus. */
function inOpenMenu(element: Element | null): boolean {
  return element?.closest("[role=menu][data-state=open]") != null;
}

/** A page may still be loading its code when the route has changed. Returns how to stop waiting. */
export function whenHeadingAppears(found: (heading: HTMLElement) => void): () => void {
  const from = document.activeElement;
  const look = () => {
    const heading = document.querySelector<HTMLElement>("h1");
    if (!heading) return;
    observer.disconnect();
    // Whoever moved on by themselves in the meantime is not pulled back.
    const now = document.activeElement;
    if (now === from ? !inOpenMenu(now) : now === document.body) found(heading);
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true });
  look();
  return () => observer.disconnect();
}
