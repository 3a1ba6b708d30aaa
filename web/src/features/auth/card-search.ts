import * as v from "valibot";

/** The printed access card's QR code opens the operator login with `?operator=` and a username. */
const username = v.pipe(
  // The router reads a name of digits alone as a number.
  v.union([v.string(), v.pipe(v.number(), v.safeInteger(), v.transform(String))]),
  v.maxLength(128),
  v.regex(/^[a-z0-9]+$/),
);

/** Anything that can't be a username is as good as nothing. */
export const operatorLoginSearch = v.object({
  operator: v.fallback(v.optional(username), undefined),
});
