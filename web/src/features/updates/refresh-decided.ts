import { createConnectQueryKey } from "@connectrpc/connect-query";
import type { QueryClient } from "@tanstack/react-query";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";

/** A decision affects the lists of updates, and meters, status, history and fuel. */
const affectedQueries = [
  createConnectQueryKey({ schema: OperatorUpdatesService, cardinality: undefined }),
  createConnectQueryKey({ schema: EquipmentService, cardinality: undefined }),
];

/** Returns when what is on screen has been loaded again. */
export async function refreshDecided(client: QueryClient): Promise<void> {
  await Promise.all(affectedQueries.map((queryKey) => client.invalidateQueries({ queryKey })));
}
