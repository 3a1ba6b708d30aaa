import * as v from "valibot";
import { auditCategories } from "./audit-categories";
import { readDate } from "#/domain/calendar";

// The filter is in the URL, so that a filtered log can be shared.

const day = v.fallback(v.optional(v.pipe(v.string(), v.check(isDay))), undefined);

export const auditFilterSchema = v.object({
  category: v.fallback(v.optional(v.picklist(auditCategories)), undefined),
  person: v.fallback(v.optional(v.pipe(v.string(), v.uuid())), undefined),
  from: day,
  to: day,
});
export type AuditFilter = v.InferOutput<typeof auditFilterSchema>;

export const noFilter: AuditFilter = {
  category: undefined,
  person: undefined,
  from: undefined,
  to: undefined,
};

/** A plausible calendar date; the server refuses distant instants. */
export function isDay(text: string): boolean {
  return text.length === 10 && readDate(text) !== null && text >= firstDay && text <= lastDay;
}

export const firstDay = "2000-01-01";
export const lastDay = "2199-12-30";

export function isFiltered(filter: AuditFilter): boolean {
  return Object.values(filter).some((part) => part !== undefined);
}

/** Whether the days are reversed. */
export function isWrongOrder({ from, to }: Pick<AuditFilter, "from" | "to">): boolean {
  return from !== undefined && to !== undefined && from > to;
}
