import { createStore, useStore } from "#/shared/store";

// A session can end while somebody works: by time, by a password change, by a logout in another
// tab. The person is then asked to sign in again, and until it is known who comes back, what is
// typed on screen stays in place underneath. An operator in the field goes on entering meanwhile,
// and signs in when there is a moment for it.
const state = createStore({ ended: false, signInOpen: false });

export function setSessionEnded(ended: boolean): void {
  if (sessionEnded() !== ended) state.set({ ended, signInOpen: false });
}

export const sessionEnded = (): boolean => state.get().ended;

/** Whether the person known to this page has to sign in again. */
export const useSessionEnded = (): boolean => useStore(state).ended;

/** Opens or closes the sign-in for those whose page stays usable without. */
export const showSignIn = (signInOpen: boolean): void => state.set({ ...state.get(), signInOpen });

export const useSignInShown = (): boolean => useStore(state).signInOpen;
