import * as v from "valibot";

/**
 * The QR code of a printed access card opens the operator login with `?operator=` and a username.
 */
const username = v.pipe(
  // The router parses a name of digits as a number.
  v.union([v.string(), v.pipe(v.number(), v.safeInteger(), v.transform(String))]),
  v.maxLength(128),
  v.regex(/^[a-z0-9]+$/),
);

/** The one-time code that a card's address ends with; it never reaches the server with a page. */
export function cardCode(): string | null {
  return /^#([a-z0-9]{5}(?:-[a-z0-9]{5}){3})$/.exec(window.location.hash)?.[1] ?? null;
}

/** An impossible username is ignored. */
export const operatorLoginSearch = v.object({
  operator: v.fallback(v.optional(username), undefined),
});
