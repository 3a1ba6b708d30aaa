/** Where an operator signs in, with the username already filled in. */
export function signInUrl(origin: string, username: string): string {
  return `${origin}/employee-login?operator=${encodeURIComponent(username)}`;
}

/** The same place, short enough to be typed from a card. */
export function signInAddress(origin: string): string {
  return `${origin.replace(/^https?:\/\//, "")}/employee-login`;
}
