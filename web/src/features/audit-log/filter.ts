import * as v from "valibot";
import { auditCategories } from "#/shared/audit/audit-categories";
import { isDay } from "#/domain/days";

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

export function isFiltered(filter: AuditFilter): boolean {
  return Object.values(filter).some((part) => part !== undefined);
}
