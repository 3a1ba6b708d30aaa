import { useRouter, useRouterState, type StaticDataRouteOption } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Audience } from "#/domain/permissions";
import { key, type TextKey } from "#/i18n/key";
import { useNamedTitle, usePageTitle } from "#/shared/document-title";

/** Titles for paths without a title of their own. */
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

/** The title of the page on screen; not that of a page that a guard replaces. */
function titleOf(matches: readonly Match[]): TextKey | undefined {
  if (matches.some((match) => match.status === "notFound")) return undefined;
  const match = matches.at(-1);
  const title = match?.staticData.title;
  return typeof title === "function" ? title(match?.search ?? {}, match?.params ?? {}) : title;
}

/** Sets the document title, and moves focus to the heading after a navigation. */
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

/** A menu that was opened while the page loaded; it would close if it lost focus. */
function inOpenMenu(element: Element | null): boolean {
  return element?.closest("[role=menu][data-state=open]") != null;
}

/**
 * Waits for the heading, because the page's code may load after the route has changed. Returns a
 * function that stops waiting.
 */
export function whenHeadingAppears(found: (heading: HTMLElement) => void): () => void {
  const from = document.activeElement;
  const focusHeading = () => {
    const heading = document.querySelector<HTMLElement>("h1");
    if (!heading) return;
    observer.disconnect();
    // Focus does not move if the user has moved it since.
    const now = document.activeElement;
    if (now === from ? !inOpenMenu(now) : now === document.body) found(heading);
  };
  const observer = new MutationObserver(focusHeading);
  observer.observe(document.body, { childList: true, subtree: true });
  focusHeading();
  return () => observer.disconnect();
}
