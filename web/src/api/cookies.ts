/** Calls that create, read or end the session of the cookie. */
const sessionCall = /^\/api\/(auth\/|logout|employee\/login)/;

let isOwn = true;

/** Whether the session cookie may be that of this page's user. */
export function setOwnCookie(own: boolean): void {
  isOwn = own;
}

/** Other calls don't send the cookie of a previous user of this phone. */
export const credentialsFor = (path: string): RequestCredentials =>
  isOwn || sessionCall.test(path) ? "include" : "omit";
