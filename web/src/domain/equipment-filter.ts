import * as v from "valibot";
import { equipmentTypes } from "./equipment-types";
import { operationalStatuses } from "./equipment-words";
import type { ServiceStatus } from "./service-status";

// The filter and order of equipment in the URL. Canonical URLs use the short status words, the long
// ones are accepted too. Invalid values are dropped.

export const statusFilters = ["good", "approaching", "due", "overdue"] as const;
export type StatusFilter = (typeof statusFilters)[number];

/** The server's sort keys, also used as column ids. */
export const sortWords = ["name", "urgency", "usage", "updated", "due"] as const;
export type SortWord = (typeof sortWords)[number];

const longWords: Record<string, StatusFilter> = {
  approaching_service: "approaching",
  time_for_service: "due",
};

/** Parses a status in a path, in either vocabulary; null if it is unknown. */
export function statusOfPath(word: string): StatusFilter | "all" | null {
  if (word === "all") return word;
  return longWords[word] ?? statusFilters.find((status) => status === word) ?? null;
}

export const statusOfFilter: Record<StatusFilter, ServiceStatus> = {
  good: "good",
  approaching: "approaching_service",
  due: "time_for_service",
  overdue: "overdue",
};

/** Only this group; empty: only equipment without one. Digits alone arrive from the URL as a number. */
export const groupSchema = v.fallback(
  v.optional(v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.maxLength(60))),
  undefined,
);

export const equipmentFilterSchema = v.object({
  status: v.fallback(
    v.optional(
      v.pipe(
        v.string(),
        v.transform((word) => longWords[word] ?? word),
        v.picklist(statusFilters),
      ),
    ),
    undefined,
  ),
  type: v.fallback(v.optional(v.picklist(equipmentTypes)), undefined),
  /** Only meters that were not read for longer than they should be. */
  stale: v.fallback(v.optional(v.literal(true)), undefined),
  operational: v.fallback(v.optional(v.picklist(operationalStatuses)), undefined),
  /** Projected to be due within this many days. */
  due: v.fallback(
    v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(36_500))),
    undefined,
  ),
  // A search for digits alone arrives from the URL as a number.
  search: v.fallback(
    v.optional(v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.maxLength(100))),
    undefined,
  ),
  group: groupSchema,
  sort: v.fallback(v.optional(v.picklist(sortWords)), undefined),
  desc: v.fallback(v.optional(v.boolean()), undefined),
});

export type EquipmentFilter = v.InferOutput<typeof equipmentFilterSchema>;

/** The filter change of a choice among the service statuses and the state of the reading. */
export function byStatus(
  choice: StatusFilter | "stale" | undefined,
): Pick<EquipmentFilter, "status" | "stale"> {
  return choice === "stale"
    ? { stale: true, status: undefined }
    : { stale: undefined, status: choice };
}

export function isFiltered(filter: EquipmentFilter): boolean {
  const { status, type, stale, operational, due, group, search } = filter;
  const isChosen = due !== undefined || group !== undefined;
  return isChosen || Boolean(status ?? type ?? stale ?? operational) || !!search?.trim();
}
