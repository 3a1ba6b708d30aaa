/** An address of this site as a path; null for any other, which is never followed. */
export function ownPath(url: string): string | null {
  if (!URL.canParse(url, window.location.origin)) return null;
  const { origin, pathname, search, hash } = new URL(url, window.location.origin);
  // As a path, "//host" would lead to that host.
  if (origin !== window.location.origin || pathname.startsWith("//")) return null;
  return pathname + search + hash;
}
