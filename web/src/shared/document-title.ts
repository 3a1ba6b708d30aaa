import { useEffect, useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let current: string | null = null;

function put(name: string | null): void {
  current = name;
  for (const listener of listeners) listener();
}

/** Calls the browser's tab by what this page shows ("Excavator CAT 320"), not by the kind of page. */
export function useDocumentTitle(name: string): void {
  useEffect(() => {
    put(name);
    return () => put(null);
  }, [name]);
}

/** The name that the page on screen gave itself; null where the route's own title holds. */
export function useNamedTitle(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
