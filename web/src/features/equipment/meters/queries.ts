import type { Transport } from "@connectrpc/connect";
import { createQueryOptions, useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

export function segmentsQuery(transport: Transport, equipmentId: string) {
  return createQueryOptions(
    EquipmentService.method.listMeterSegments,
    { equipmentId },
    { transport },
  );
}

/** The meters of active or retired equipment, newest first. */
export function useSegments(equipmentId: string) {
  return useQuery(segmentsQuery(useTransport(), equipmentId));
}
