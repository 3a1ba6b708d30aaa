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
  /** The optional columns of the list, joined by dots; absent: the person's own choice. */
  columns: v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined),
});

export type EquipmentFilter = v.InferOutput<typeof equipmentFilterSchema>;

/** What the tiles of the dashboard count: a service status, or something else that needs a decision. */
export const choices = [...statusFilters, "dueThisWeek", "stale", "outOfService"] as const;
export type Choice = (typeof choices)[number];

const cleared = { status: undefined, stale: undefined, due: undefined, operational: undefined };

/** The filter change of a choice; it replaces an earlier choice. */
export function byChoice(
  choice: Choice | undefined,
): Pick<EquipmentFilter, "status" | "stale" | "due" | "operational"> {
  switch (choice) {
    case "dueThisWeek":
      return { ...cleared, due: 7 };
    case "stale":
      return { ...cleared, stale: true };
    case "outOfService":
      return { ...cleared, operational: "out_of_service" };
    case undefined:
    case "good":
    case "approaching":
    case "due":
    case "overdue":
      return { ...cleared, status: choice };
  }
}

/** The choice that alone makes this filter. */
export function choiceOf({ status, stale, due, operational }: EquipmentFilter): Choice | undefined {
  return choices.find((choice) => {
    const change = byChoice(choice);
    return (
      change.status === status &&
      change.stale === stale &&
      change.due === due &&
      change.operational === operational
    );
  });
}

/** The filter change that shows all equipment. */
export const unfiltered: EquipmentFilter = {
  status: undefined,
  type: undefined,
  stale: undefined,
  operational: undefined,
  due: undefined,
  group: undefined,
  search: undefined,
};

export function isFiltered(filter: EquipmentFilter): boolean {
  const { status, type, stale, operational, due, group, search } = filter;
  const isChosen = due !== undefined || group !== undefined;
  return isChosen || Boolean(status ?? type ?? stale ?? operational) || !!search?.trim();
}
