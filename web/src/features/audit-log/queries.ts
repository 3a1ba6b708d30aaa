import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import * as v from "valibot";
import { restPage } from "#/api/rest";
import { uniqueById, usePages, type Pages } from "#/shared/table/use-pages";
import { auditQuery } from "./audit-query";
import type { AuditFilter } from "./filter";

const path = "/api/audit-log";
const pageSize = 100;

const eventSchema = v.object({
  id: v.string(),
  at: v.string(),
  event: v.string(),
  outcome: v.string(),
  actorId: v.nullable(v.string()),
  actorName: v.string(),
  scope: v.string(),
  addressPrefix: v.string(),
  requestId: v.string(),
  targetId: v.nullable(v.string()),
  targetName: v.string(),
  detail: v.string(),
});
export type AuditEvent = v.InferOutput<typeof eventSchema>;

function loadPage(query: URLSearchParams, cursor: string, signal: AbortSignal) {
  const page = new URLSearchParams(query);
  page.set("limit", String(pageSize));
  if (cursor) page.set("cursor", cursor);
  return restPage(`${path}?${page}`, eventSchema, { signal });
}

/** The pages as one list. The lines of the last filter stay until those of the new one have come. */
export function useAuditPages(filter: AuditFilter, zone: string): Pages<AuditEvent> {
  const params = auditQuery(filter, zone);
  const query = useInfiniteQuery({
    queryKey: ["audit-log", params.toString()],
    queryFn: ({ pageParam, signal }) => loadPage(params, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  return usePages(query);
}

/** Everything that matches. Without a limit the server takes it as the export that it is. */
export async function loadAll(filter: AuditFilter, zone: string): Promise<AuditEvent[]> {
  const query = auditQuery(filter, zone);
  const events: AuditEvent[] = [];
  let cursor: string | null = null;
  do {
    if (cursor) query.set("cursor", cursor);
    const address: string = query.size > 0 ? `${path}?${query}` : path;
    const page = await restPage(address, eventSchema);
    events.push(...page.rows);
    cursor = page.nextCursor;
  } while (cursor);
  return uniqueById(events);
}
