/** A URL of this site as a path; null for other URLs, which are not followed. */
export function ownPath(url: string): string | null {
  if (!URL.canParse(url, window.location.origin)) return null;
  const { origin, pathname, search, hash } = new URL(url, window.location.origin);
  // As a path, "//host" would navigate to that host.
  if (origin !== window.location.origin || pathname.startsWith("//")) return null;
  return pathname + search + hash;
}
