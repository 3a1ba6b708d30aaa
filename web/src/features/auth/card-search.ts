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

/** An impossible username is ignored. */
export const operatorLoginSearch = v.object({
  operator: v.fallback(v.optional(username), undefined),
});
