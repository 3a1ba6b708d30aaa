import { useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { TextKey } from "#/i18n/key";
import { useNamedTitle, usePageTitle } from "#/shared/document-title";

/** Calls `listener` when a new page is shown. Returns a function that removes it. */
export type OnNewPage = (listener: () => void) => () => void;

/** Sets the document title, and moves focus to the heading of a new page, which is then read. */
export function PageAnnouncer({
  title,
  onNewPage,
}: {
  title: TextKey | null;
  onNewPage: OnNewPage;
}) {
  const { t } = useTranslation();
  const cancel = useRef<() => void>(() => undefined);
  const named = useNamedTitle();
  usePageTitle(named ?? (title ? t(title) : null));

  const announce = useEffectEvent(() => {
    cancel.current();
    cancel.current = whenHeadingAppears((heading) => heading.focus({ preventScroll: true }));
  });
  useEffect(() => onNewPage(() => announce()), [onNewPage]);

  return null;
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
