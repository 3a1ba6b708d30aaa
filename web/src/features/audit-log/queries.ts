import { fromJsonString } from "@bufbuild/protobuf";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { ListAuditEventsResponseSchema } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import type { AuditEvent } from "#/api/gen/hourmeter/common/v1/audit_pb";
import { restList, type RestPage } from "#/api/rest";
import { uniqueById, usePages, type Pages } from "#/shared/table/use-pages";
import { auditQuery } from "./audit-query";
import type { AuditFilter } from "./filter";

const path = "/api/audit-log";
const pageSize = 100;

/** The rows use the JSON form of the services' lists. */
async function load(query: URLSearchParams, options?: { signal: AbortSignal }) {
  const { text, nextCursor } = await restList(query.size > 0 ? `${path}?${query}` : path, options);
  const form = { ignoreUnknownFields: true };
  const { events } = fromJsonString(ListAuditEventsResponseSchema, `{"events":${text}}`, form);
  return { rows: events, nextCursor };
}

function loadPage(query: URLSearchParams, cursor: string, signal: AbortSignal) {
  const page = new URLSearchParams(query);
  page.set("limit", String(pageSize));
  if (cursor) page.set("cursor", cursor);
  return load(page, { signal });
}

/** The pages as one list. The previous rows stay until those of the new filter are loaded. */
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

/** All matching events. Without a limit, the server treats the request as an export. */
export async function loadAll(filter: AuditFilter, zone: string): Promise<AuditEvent[]> {
  const query = auditQuery(filter, zone);
  const events: AuditEvent[] = [];
  let cursor: string | null = null;
  do {
    if (cursor) query.set("cursor", cursor);
    const page: RestPage<AuditEvent> = await load(query);
    events.push(...page.rows);
    cursor = page.nextCursor;
  } while (cursor);
  return uniqueById(events);
}
