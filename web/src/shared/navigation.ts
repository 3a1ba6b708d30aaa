import { createContext, use } from "react";

/** Shows pages of the application without loading a document. */
export interface Navigation {
  /** The path of the page on screen. */
  path: string;
  /** Shows a page. `ignoreBlocker`: without asking about unsaved changes. */
  go: (path: string, options?: { ignoreBlocker: boolean }) => Promise<void>;
  /** Loads the code of a page that may be shown next. */
  prepare: (path: string) => void;
}

/** Null where the application is not loaded: links then load a document. */
export const NavigationContext = createContext<Navigation | null>(null);

export function useNavigation(): Navigation {
  const navigation = use(NavigationContext);
  if (!navigation) throw new Error("NavigationContext is missing");
  return navigation;
}
