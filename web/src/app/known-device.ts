const cookieName = "known";
const yearSeconds = 365 * 24 * 60 * 60;

function setCookie(value: string, seconds: number): void {
  const secure = window.location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${cookieName}=${value}; Path=/; Max-Age=${seconds}; SameSite=Lax${secure}`;
}

/**
 * Notes that somebody is signed in here, so that the gateway serves the application at `/` and not
 * the landing page, also after the session has ended. Who is signed in, the session says.
 */
export function rememberDevice(): void {
  setCookie("1", yearSeconds);
}

export function forgetDevice(): void {
  setCookie("", 0);
}
