import { wordsOf } from "#/shared/audit/audit-words";
import { nextDay, startOfDay } from "./day-bounds";
import type { AuditFilter } from "./filter";

/** The filter of the request; both days are whole days in the company's time zone. */
export function auditQuery(filter: AuditFilter, zone: string): URLSearchParams {
  const query = new URLSearchParams();
  if (filter.category) query.set("event", wordsOf(filter.category).join(","));
  if (filter.person) query.set("actor", filter.person);
  if (filter.from) query.set("from", startOfDay(filter.from, zone).toISOString());
  if (filter.to) query.set("to", startOfDay(nextDay(filter.to), zone).toISOString());
  return query;
}
