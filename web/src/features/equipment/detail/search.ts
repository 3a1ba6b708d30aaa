import * as v from "valibot";
import { dayInUrl } from "#/domain/days";

// The shareable state of the page is in the URL; invalid values are dropped.

export const detailTabs = ["overview", "history", "notes", "service", "fuel"] as const;
export type DetailTab = (typeof detailTabs)[number];

/** Retired equipment has no tabs with changes. */
export const retiredTabs = ["overview", "history", "notes"] as const satisfies DetailTab[];

export const kindFilters = ["usage", "service", "notes", "edits", "meter", "archive"] as const;
export type KindFilter = (typeof kindFilters)[number];

/** Periods of the trend chart; without one, all readings. */
export const trendRanges = ["30d", "90d", "1y"] as const;
export type TrendRange = (typeof trendRanges)[number];

export const detailSearchSchema = v.object({
  tab: v.fallback(v.optional(v.picklist(detailTabs)), undefined),
  /** The filters of the history. */
  kind: v.fallback(v.optional(v.picklist(kindFilters)), undefined),
  person: v.fallback(v.optional(v.pipe(v.string(), v.uuid())), undefined),
  from: dayInUrl,
  to: dayInUrl,
  range: v.fallback(v.optional(v.picklist(trendRanges)), undefined),
  /** Opens Replace meter; used by links from other pages. */
  replace: v.fallback(v.optional(v.literal("meter")), undefined),
});

export type DetailSearch = v.InferOutput<typeof detailSearchSchema>;

export type HistoryFilter = Pick<DetailSearch, "kind" | "person" | "from" | "to">;

export const noHistoryFilter: HistoryFilter = {
  kind: undefined,
  person: undefined,
  from: undefined,
  to: undefined,
};
