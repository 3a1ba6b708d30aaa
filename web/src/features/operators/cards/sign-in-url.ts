/** The sign-in URL with the username filled in. */
export function signInUrl(origin: string, username: string): string {
  return `${origin}/employee-login?operator=${encodeURIComponent(username)}`;
}

/** The sign-in URL in a short form to type from a card. */
export function signInAddress(origin: string): string {
  return `${origin.replace(/^https?:\/\//, "")}/employee-login`;
}
