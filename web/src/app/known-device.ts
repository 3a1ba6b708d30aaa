const storageKey = "knownDevice";

/**
 * Whether somebody signed in here and has not signed out since (that clears the storage). It only
 * decides which code is loaded first; who is signed in, the server says.
 */
export function isKnownDevice(): boolean {
  try {
    return localStorage.getItem(storageKey) !== null;
  } catch {
    return false;
  }
}

export function rememberDevice(): void {
  try {
    localStorage.setItem(storageKey, "1");
  } catch {
    // Storage may be full or switched off; the landing page then shows for a moment first.
  }
}
