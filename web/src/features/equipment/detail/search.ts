import * as v from "valibot";

// What a person would share of this page stands in the URL; a value that means nothing is left out.

export const detailTabs = ["overview", "history", "notes", "service", "fuel"] as const;
export type DetailTab = (typeof detailTabs)[number];

/** A retired piece can be read, and no longer changed. */
export const retiredTabs = ["overview", "history", "notes"] as const satisfies DetailTab[];

export const kindFilters = ["usage", "service", "notes", "edits", "meter", "archive"] as const;
export type KindFilter = (typeof kindFilters)[number];

export const detailSearchSchema = v.object({
  tab: v.fallback(v.optional(v.picklist(detailTabs)), undefined),
  kind: v.fallback(v.optional(v.picklist(kindFilters)), undefined),
  /** Opens Replace meter, for a link from elsewhere. */
  replace: v.fallback(v.optional(v.literal("meter")), undefined),
});

export type DetailSearch = v.InferOutput<typeof detailSearchSchema>;
