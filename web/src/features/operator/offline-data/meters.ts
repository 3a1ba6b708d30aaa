import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { queryOptions, useQuery } from "@tanstack/react-query";
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
import { expecting, fieldRefresh, keptCopy, useSynced, type Synced } from "./kept-query";
import { usePerson, type PersonTools } from "./per-person";

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

export interface Meters extends Synced {
  /** By name. */
  meters: readonly FieldMeter[];
}

const pageSize = 500;
const none: readonly FieldMeter[] = [];
const keptSchema = v.array(fieldMeterSchema);

export const metersKey = (userId: string) => ["meters", userId];

function metersQuery(person: PersonTools) {
  const queryKey = metersKey(person.userId);
  const copy = keptCopy<readonly FieldMeter[]>(person, {
    key: keptKeys.meters(person.userId),
    queryKey,
    encode: (meters) => meters,
    decode: (stored) => {
      const kept = v.safeParse(keptSchema, stored);
      return kept.success ? kept.output : null;
    },
  });
  return queryOptions({
    ...fieldRefresh,
    queryKey,
    queryFn: async () => {
      await copy.restore();
      const meters = await fetchMeters(person);
      void copy.write(meters);
      return meters;
    },
  });
}

/** The company's machines: from this device at once, from the server as soon as it answers. */
export function useMeters(): Meters {
  const query = useQuery(metersQuery(usePerson()));
  return { ...useSynced(query), meters: query.data ?? none };
}

async function fetchMeters(person: PersonTools): Promise<readonly FieldMeter[]> {
  const service = createClient(EquipmentService, person.transport);
  const found: FieldMeter[] = [];
  let cursor = "";
  do {
    const request = { page: { limit: pageSize, cursor } };
    const { meters, page } = await service.listMeters(request, expecting(person));
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
