import { wordsOf } from "./audit-words";
import { nextDay, startOfDay } from "./day-bounds";
import type { AuditFilter } from "./filter";

/** The filter as the server takes it; both days are whole days of the company's calendar. */
export function auditQuery(filter: AuditFilter, zone: string): URLSearchParams {
  const query = new URLSearchParams();
  if (filter.category) query.set("event", wordsOf(filter.category).join(","));
  if (filter.person) query.set("actor", filter.person);
  if (filter.from) query.set("from", startOfDay(filter.from, zone).toISOString());
  if (filter.to) query.set("to", startOfDay(nextDay(filter.to), zone).toISOString());
  return query;
}
