import * as v from "valibot";
import { auditCategories } from "#/shared/audit/audit-categories";
import { dayInUrl } from "#/domain/days";

// The filter is in the URL, so that a filtered log can be shared.

export const auditFilterSchema = v.object({
  category: v.fallback(v.optional(v.picklist(auditCategories)), undefined),
  person: v.fallback(v.optional(v.pipe(v.string(), v.uuid())), undefined),
  from: dayInUrl,
  to: dayInUrl,
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
