import type { Transport } from "@connectrpc/connect";
import { createConnectQueryKey, createQueryOptions } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import * as v from "valibot";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { rest } from "#/api/rest";
import type { FuelDays } from "./range";

export function fuelSummaryQuery(transport: Transport, days: FuelDays) {
  return createQueryOptions(EquipmentService.method.getFuelSummary, { ...days }, { transport });
}

/** A reset changes the totals of all equipment. */
export function useRefreshFuel(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(
    () =>
      client.invalidateQueries({
        queryKey: createConnectQueryKey({ schema: EquipmentService, cardinality: undefined }),
      }),
    [client],
  );
}

const fuelRowSchema = v.object({
  date: v.string(),
  equipmentId: v.optional(v.string()),
  equipmentName: v.string(),
  group: v.nullish(v.string()),
  operatorName: v.string(),
  fuelType: v.picklist(["gas", "diesel"]),
  fuelAdded: v.number(),
  fullFill: v.optional(v.boolean(), false),
  notes: v.nullable(v.string()),
});
export type FuelRow = v.InferOutput<typeof fuelRowSchema>;

/** All fuel entries, newest first. */
export function loadFuelRows(): Promise<FuelRow[]> {
  return rest("GET", "/api/fuel-usage/export", v.array(fuelRowSchema));
}

const latestFuel = 100;

/** The latest fuel entries, which every plan has. Unlike an export, it is not in the audit log. */
export function latestFuelQuery(transport: Transport) {
  const { listHistory } = EquipmentService.method;
  return createQueryOptions(
    listHistory,
    { fuelOnly: true, page: { limit: latestFuel } },
    { transport },
  );
}
