import * as v from "valibot";

const text = (maxLength: number) =>
  v.fallback(
    v.optional(
      // The router parses a search for digits as a number.
      v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.maxLength(maxLength)),
    ),
    undefined,
  );

/** Search parameters of a list: the searched text, and the order as "name" or "name.desc". */
export const searchEntries = { search: text(100), order: text(40) };
