import { useSyncExternalStore } from "react";

// A session can end while somebody works: by time, by a password change, by a logout in another
// tab. The person is then asked to sign in again, and until it is known who comes back, what is
// typed on screen stays in place underneath.
let ended = false;
const listeners = new Set<() => void>();

export function setSessionEnded(next: boolean): void {
  if (ended === next) return;
  ended = next;
  for (const listener of listeners) listener();
}

export function sessionEnded(): boolean {
  return ended;
}

/** Whether the person known to this page has to sign in again. */
export function useSessionEnded(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, sessionEnded);
}
