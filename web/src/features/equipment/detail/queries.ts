import type { Transport } from "@connectrpc/connect";
import {
  callUnaryMethod,
  createInfiniteQueryOptions,
  createQueryOptions,
} from "@connectrpc/connect-query";
import { toFailure } from "#/api/errors";
import { wholeList } from "#/api/whole-list";
import {
  EquipmentService,
  HistoryKind,
  HistoryOrder,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

const { getRetired, listServiceTasks, listHistory, listNotes, getFuelSummary } =
  EquipmentService.method;

export interface HistoryChoice {
  equipmentId: string;
  kinds?: HistoryKind[];
  fuelOnly?: boolean;
  personId?: string;
  /** Dates in the company's time zone. */
  from?: string;
  to?: string;
  order?: HistoryOrder;
}

const pageSize = 30;
/** The server's largest page. */
const exportPageSize = 500;

export function retiredQuery(transport: Transport, equipmentId: string) {
  return createQueryOptions(getRetired, { equipmentId }, { transport });
}

export function tasksQuery(transport: Transport, equipmentId: string) {
  return createQueryOptions(listServiceTasks, { equipmentId }, { transport });
}

/** Since `from`; without it, since the last fuel reset. */
export function fuelSummaryQuery(transport: Transport, equipmentId: string, from = "") {
  return createQueryOptions(getFuelSummary, { equipmentId, from }, { transport });
}

/** The ledger of one machine, newest first, in pages. */
export function historyPagesQuery(transport: Transport, choice: HistoryChoice) {
  return createInfiniteQueryOptions(
    listHistory,
    { ...choice, page: { limit: pageSize } },
    {
      transport,
      pageParamKey: "page",
      getNextPageParam: ({ page }) =>
        page?.nextCursor ? { limit: pageSize, cursor: page.nextCursor } : undefined,
    },
  );
}

export function latestHistoryQuery(transport: Transport, choice: HistoryChoice, limit: number) {
  return createQueryOptions(listHistory, { ...choice, page: { limit } }, { transport });
}

/** All services, the latest first: their costs are summed, so no page may be missing. */
export function servicesQuery(transport: Transport, services: HistoryChoice) {
  const choice = { ...services, kinds: [HistoryKind.SERVICE], order: HistoryOrder.CAPTURED };
  return {
    ...createQueryOptions(listHistory, choice, { transport }),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      wholeList(
        (page) => callUnaryMethod(transport, listHistory, { ...choice, page }, { signal }),
        (whole, next) => whole.records.push(...next.records),
      ),
  };
}

export function notesPagesQuery(transport: Transport, equipmentId: string) {
  return createInfiniteQueryOptions(
    listNotes,
    { equipmentId, page: { limit: pageSize } },
    {
      transport,
      pageParamKey: "page",
      getNextPageParam: ({ page }) =>
        page?.nextCursor ? { limit: pageSize, cursor: page.nextCursor } : undefined,
    },
  );
}

export function latestNotesQuery(transport: Transport, equipmentId: string, limit: number) {
  return createQueryOptions(listNotes, { equipmentId, page: { limit } }, { transport });
}

/** All entries, including those that the screen has not loaded, for exports. */
export async function wholeHistory(
  transport: Transport,
  choice: HistoryChoice,
): Promise<HistoryRecord[]> {
  const records: HistoryRecord[] = [];
  let cursor = "";
  do {
    const page = { limit: exportPageSize, cursor };
    const answer = await callUnaryMethod(transport, listHistory, { ...choice, page });
    records.push(...answer.records);
    cursor = answer.page?.nextCursor ?? "";
  } while (cursor !== "");
  return records;
}

export function isNotFound(error: unknown): boolean {
  return error != null && toFailure(error).status === 404;
}

/** Whether the error says that the machine is in the archive. */
export function isRetired(error: unknown): boolean {
  return toFailure(error).code === "EQUIPMENT_RETIRED";
}

/** The last name of a machine if the error says that it was deleted. */
export function deletedName(error: unknown): string | null {
  const { code, said } = toFailure(error);
  return code === "EQUIPMENT_DELETED" ? (said.params.name ?? "") : null;
}
