import * as v from "valibot";

// The password is never stored: the session cookie keeps a remembered operator signed in.
const credentialsKey = "operatorCredentials";
const usernameKey = "operatorUsername";
const schema = v.pipe(v.string(), v.parseJson(), v.object({ operatorName: v.string() }));

export function loadRememberedOperator(): string | null {
  const stored = localStorage.getItem(credentialsKey);
  if (stored === null) return null;
  const parsed = v.safeParse(schema, stored);
  if (parsed.success) return parsed.output.operatorName;
  forgetOperator();
  return null;
}

export function rememberOperator(operatorName: string, username: string): void {
  localStorage.setItem(credentialsKey, JSON.stringify({ operatorName }));
  localStorage.setItem(usernameKey, username);
}

export function forgetOperator(): void {
  localStorage.removeItem(credentialsKey);
  localStorage.removeItem(usernameKey);
}
