/**
 * The sign-in URL with the username and the card's one-time code, which the browser does not send to
 * the server with the page's address.
 */
export function signInUrl(origin: string, username: string, code = ""): string {
  const url = `${origin}/employee-login?operator=${encodeURIComponent(username)}`;
  return code === "" ? url : `${url}#${code}`;
}

/** The sign-in URL in a short form to type from a card. */
export function signInAddress(origin: string): string {
  return `${origin.replace(/^https?:\/\//, "")}/employee-login`;
}
