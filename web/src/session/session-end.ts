import { useSyncExternalStore } from "react";

// A session can end while somebody works: by time, by a password change, by a logout in another
// tab. The person is then asked to sign in again, and until it is known who comes back, what is
// typed on screen stays in place underneath. An operator in the field goes on entering meanwhile,
// and signs in when there is a moment for it.
let ended = false;
let signInOpen = false;
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function setSessionEnded(next: boolean): void {
  if (ended === next) return;
  ended = next;
  signInOpen = false;
  tell();
}

export function sessionEnded(): boolean {
  return ended;
}

/** Whether the person known to this page has to sign in again. */
export function useSessionEnded(): boolean {
  return useSyncExternalStore(subscribe, sessionEnded);
}

/** Opens or closes the sign-in for those whose page stays usable without. */
export function showSignIn(open: boolean): void {
  signInOpen = open;
  tell();
}

export function useSignInShown(): boolean {
  return useSyncExternalStore(subscribe, () => signInOpen);
}
