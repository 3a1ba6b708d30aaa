import type { Transport } from "@connectrpc/connect";
import {
  callUnaryMethod,
  createConnectQueryKey,
  createQueryOptions,
  useTransport,
} from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { wholeList } from "#/api/whole-list";

const { getEquipment, listNotes } = EquipmentService.method;

export function equipmentQuery(transport: Transport, id: string) {
  return createQueryOptions(getEquipment, { id }, { transport });
}

export function notesQuery(transport: Transport, equipmentId: string) {
  return {
    ...createQueryOptions(listNotes, { equipmentId }, { transport }),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      wholeList(
        (page) => callUnaryMethod(transport, listNotes, { equipmentId, page }, { signal }),
        (whole, next) => whole.notes.push(...next.notes),
      ),
  };
}

/**
 * A change to equipment affects the list, the counts, its notes and the history. The machine's page
 * shows `changed` at once, so that the next form opened there does not start with the old meter.
 */
export function useRefreshEquipment(): (changed?: Equipment) => Promise<void> {
  const client = useQueryClient();
  const transport = useTransport();
  return useCallback(
    (changed) => {
      if (changed) {
        client.setQueryData(
          equipmentQuery(transport, changed.id).queryKey,
          (shown) => shown && { ...shown, equipment: changed },
        );
      }
      return client.invalidateQueries({
        queryKey: createConnectQueryKey({ schema: EquipmentService, cardinality: undefined }),
      });
    },
    [client, transport],
  );
}
