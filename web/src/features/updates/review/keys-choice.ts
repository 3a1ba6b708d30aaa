import { useSyncExternalStore } from "react";

/** Only "off" is written, since on is the default. */
const storageKey = "reviewKeys";
const listeners = new Set<() => void>();

export function setKeysOn(on: boolean): void {
  if (on) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, "off");
  for (const listener of listeners) listener();
}

/** Whether single keys act: who speaks to a computer, or rests a hand on it, turns them off. */
export function useKeysOn(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => localStorage.getItem(storageKey) !== "off",
  );
}
