import { useEffect, useLayoutEffect } from "react";
import { useTranslation } from "react-i18next";
import { createStore, useStore } from "./store";

const title = createStore<string | null>(null);

/** Sets the document title to the page's subject ("Excavator CAT 320"). */
export function useDocumentTitle(name: string): void {
  useEffect(() => {
    title.set(name);
    return () => title.set(null);
  }, [name]);
}

/** The title set by the current page; null if the route's title applies. */
export const useNamedTitle = (): string | null => useStore(title);

/** Names the page in the browser's tab; null: the product's name alone. */
export function usePageTitle(title: string | null): void {
  const { t } = useTranslation();
  // In the same commit as the heading, so that no page shows the title of the page before.
  useLayoutEffect(() => {
    document.title = `${title ?? "Hourmeter"} - ${t("shell.titleSuffix")}`;
  }, [title, t]);
}
