import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createClient, type Transport } from "@connectrpc/connect";
import * as v from "valibot";
import { keptKeys } from "#/device/person";
import { EquipmentService, type Meter } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentTypes } from "#/domain/equipment-types";
import {
  equipmentFuels,
  equipmentFuelWord,
  meterUnits,
  serviceStatusWord,
  typeWord,
  unitWord,
} from "#/domain/equipment-words";
import { perPerson, syncOfPerson, usePerson, useSynced } from "./sync-person";
import type { SyncState } from "./sync-store";

/** A machine as an operator needs to know it; readable without a connection. */
const fieldMeterSchema = v.object({
  equipmentId: v.string(),
  name: v.string(),
  type: v.picklist(equipmentTypes),
  serialNumber: v.nullable(v.string()),
  unit: v.picklist(meterUnits),
  fuel: v.picklist(equipmentFuels),
  /** What the dial shows. */
  meterReading: v.number(),
  /** Null: it was never read. */
  meterReadAt: v.nullable(v.date()),
  /** Null: too few readings to tell. */
  usualDailyUse: v.nullable(v.number()),
  /** Gallons in one filling; null: too few to tell. */
  usualFill: v.nullable(v.number()),
  serviceStatus: v.picklist(["good", "approaching_service", "time_for_service", "overdue"]),
});

export type FieldMeter = v.InferOutput<typeof fieldMeterSchema>;

export interface Meters {
  /** By name. */
  meters: readonly FieldMeter[];
  syncedAt: Date | null;
  state: SyncState;
  error: unknown;
  refreshing: boolean;
  refetch: () => void;
}

const pageSize = 500;
const none: readonly FieldMeter[] = [];
const keptSchema = v.array(fieldMeterSchema);

/** The person's list, for whatever changes it. */
export const metersOf = perPerson((tools) =>
  syncOfPerson<readonly FieldMeter[]>(tools, {
    key: keptKeys.meters(tools.userId),
    fetch: () => fetchMeters(tools.transport),
    encode: (meters) => meters,
    decode: (stored) => {
      const kept = v.safeParse(keptSchema, stored);
      return kept.success ? kept.output : null;
    },
  }),
);

/** The company's machines: from this device at once, from the server as soon as it answers. */
export function useMeters(): Meters {
  const store = metersOf(usePerson());
  const { value, ...rest } = useSynced(store);
  return { ...rest, meters: value ?? none, refetch: () => void store.refresh() };
}

async function fetchMeters(transport: Transport): Promise<readonly FieldMeter[]> {
  const service = createClient(EquipmentService, transport);
  const found: FieldMeter[] = [];
  let cursor = "";
  do {
    const { meters, page } = await service.listMeters({ page: { limit: pageSize, cursor } });
    found.push(...meters.map(toFieldMeter));
    cursor = page?.nextCursor ?? "";
  } while (cursor !== "");
  return found;
}

export function toFieldMeter(meter: Meter): FieldMeter {
  return {
    equipmentId: meter.equipmentId,
    name: meter.name,
    type: typeWord(meter.type),
    serialNumber: meter.serialNumber ?? null,
    unit: unitWord(meter.unit),
    fuel: equipmentFuelWord(meter.fuel),
    meterReading: meter.meterReading,
    meterReadAt: meter.meterReadAt ? timestampDate(meter.meterReadAt) : null,
    usualDailyUse: meter.usualDailyUse ?? null,
    usualFill: meter.usualFill ?? null,
    serviceStatus: serviceStatusWord(meter.serviceStatus),
  };
}
