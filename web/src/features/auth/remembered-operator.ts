import * as v from "valibot";

// The password is never stored: the session cookie keeps a remembered operator signed in.
const credentialsKey = "operatorCredentials";
const usernameKey = "operatorUsername";
const schema = v.pipe(v.string(), v.parseJson(), v.object({ operatorName: v.string() }));

/** The remembered name. Unreadable data and stored passwords are removed. */
export function loadRememberedOperator(): string | null {
  try {
    const stored = localStorage.getItem(credentialsKey);
    if (stored === null) return null;
    const parsed = v.safeParse(schema, stored);
    if (!parsed.success) {
      forgetOperator();
      return null;
    }
    const { operatorName } = parsed.output;
    // An older version stored the password with the name.
    const allowed = JSON.stringify({ operatorName });
    if (stored !== allowed) localStorage.setItem(credentialsKey, allowed);
    return operatorName;
  } catch {
    // Without storage nothing is remembered.
    return null;
  }
}

export function rememberOperator(operatorName: string, username: string): void {
  try {
    localStorage.setItem(credentialsKey, JSON.stringify({ operatorName }));
    localStorage.setItem(usernameKey, username);
  } catch {
    // Storage may be full or disabled; signing in works without it.
  }
}

export function forgetOperator(): void {
  try {
    localStorage.removeItem(credentialsKey);
    localStorage.removeItem(usernameKey);
  } catch {
    // Without storage there is nothing to remove.
  }
}
