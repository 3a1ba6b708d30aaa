import { createStore, useStore } from "#/shared/store";

// A session can end during work: by time, by a password change, or by a logout in another tab. The
// user is then asked to sign in again, and the page underneath keeps typed values until it is clear
// who signs in. Operators keep working and can sign in later.
const state = createStore({ ended: false, signInOpen: false });

export function setSessionEnded(ended: boolean): void {
  if (sessionEnded() !== ended) state.set({ ended, signInOpen: false });
}

export const sessionEnded = (): boolean => state.get().ended;

/** Whether the user of this page has to sign in again. */
export const useSessionEnded = (): boolean => useStore(state).ended;

/** Opens or closes the sign-in on pages that stay usable without it. */
export const showSignIn = (signInOpen: boolean): void => state.set({ ...state.get(), signInOpen });

export const useSignInShown = (): boolean => useStore(state).signInOpen;
