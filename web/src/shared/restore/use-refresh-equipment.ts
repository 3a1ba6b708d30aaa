import { createConnectQueryKey } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

/** A restoration affects the list, the counts and the archive. */
export function useRefreshEquipment(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(
    () =>
      client.invalidateQueries({
        queryKey: createConnectQueryKey({ schema: EquipmentService, cardinality: undefined }),
      }),
    [client],
  );
}
