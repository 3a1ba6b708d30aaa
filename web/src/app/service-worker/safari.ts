/**
 * Safari and the browsers built like it (all on an iPhone are), by the customary test. There an
 * empty page after a start from cache was seen, see `public/reload-guard.js`.
 */
export function isSafariType(userAgent: string): boolean {
  return /^(?:(?!chrome|android).)*safari/i.test(userAgent);
}
