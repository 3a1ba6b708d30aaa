import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { createStore, useStore } from "./store";

const title = createStore<string | null>(null);

/** Calls the browser's tab by what this page shows ("Excavator CAT 320"), not by the kind of page. */
export function useDocumentTitle(name: string): void {
  useEffect(() => {
    title.set(name);
    return () => title.set(null);
  }, [name]);
}

/** The name that the page on screen gave itself; null where the route's own title holds. */
export const useNamedTitle = (): string | null => useStore(title);

/** Names the page in the browser's tab; null: the product's name alone. */
export function usePageTitle(title: string | null): void {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = `${title ?? "Hourmeter"} - ${t("shell.titleSuffix")}`;
  }, [title, t]);
}
