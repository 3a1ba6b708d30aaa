/**
 * Safari and other WebKit browsers, including all on an iPhone, by the user agent. They sometimes
 * show an empty page after a start from cache, see `public/reload-guard.js`.
 */
export function isSafariType(userAgent: string): boolean {
  return /^(?:(?!chrome|android).)*safari/i.test(userAgent);
}
