import { createContext } from "react";

/** Shows pages of the application without loading a document. */
export interface Navigation {
  go: (path: string) => void;
  /** Loads the code of a page that may be shown next. */
  prepare: (path: string) => void;
}

/** Null where the application is not loaded: links then load a document. */
export const NavigationContext = createContext<Navigation | null>(null);
