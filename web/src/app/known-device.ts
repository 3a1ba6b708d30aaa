import type { Audience } from "#/domain/permissions";

const cookieName = "known";
const yearSeconds = 365 * 24 * 60 * 60;

function setCookie(value: string, seconds: number): void {
  const secure = window.location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${cookieName}=${value}; Path=/; Max-Age=${seconds}; SameSite=Lax${secure}`;
}

/**
 * Stores the audience, so that the gateway serves the application at `/` instead of the landing
 * page, also after the session has ended, and the next start loads the right code first.
 */
export function rememberDevice(audience: Audience): void {
  setCookie(audience, yearSeconds);
}

/** The audience of the last user. It only decides which code loads first. */
export function lastAudience(): string | undefined {
  return new RegExp(`\\b${cookieName}=(\\w+)`).exec(document.cookie)?.[1];
}

export function forgetDevice(): void {
  setCookie("", 0);
}
