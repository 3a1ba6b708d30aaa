import { queryOptions, useQuery } from "@tanstack/react-query";
import * as v from "valibot";
import { restPage, type RestPage } from "#/api/rest";
import { keptKeys } from "#/device/person";
import { equipmentTypes } from "#/domain/equipment-types";
import { equipmentFuels, meterUnits } from "#/domain/equipment-words";
import { fieldRefresh, keptCopy, useSynced, type Synced } from "./kept-query";
import { instantSchema } from "./own-update";
import { usePerson, type PersonTools } from "./per-person";

const machine = {
  equipmentId: v.string(),
  name: v.string(),
  type: v.fallback(v.picklist(equipmentTypes), "other"),
  serialNumber: v.nullable(v.string()),
  /** Absent in copies from before there were any. */
  unitNumber: v.optional(v.nullable(v.string()), null),
  unit: v.fallback(v.picklist(meterUnits), "n/a"),
  /** What the dial shows. */
  meterReading: v.number(),
  /** Null: it was never read. */
  meterReadAt: v.nullable(instantSchema),
  /** Null: too few readings to tell. */
  usualDailyUse: v.nullable(v.number()),
  /** Gallons in one filling; null: too few to tell. */
  usualFill: v.nullable(v.number()),
  serviceStatus: v.fallback(
    v.picklist(["good", "approaching_service", "time_for_service", "overdue"]),
    "good",
  ),
};
const fuelSchema = v.fallback(v.picklist(equipmentFuels), "n/a");

/** A machine as an operator needs to know it; readable without a connection. */
const fieldMeterSchema = v.object({ ...machine, fuel: fuelSchema });

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

/** A machine as the server answers it. */
const rowSchema = v.pipe(
  v.object({ ...machine, fuelType: fuelSchema }),
  v.transform(({ fuelType, ...row }): FieldMeter => ({ ...row, fuel: fuelType })),
);

async function fetchMeters({ userId }: PersonTools): Promise<readonly FieldMeter[]> {
  const found: FieldMeter[] = [];
  let cursor: string | null = "";
  do {
    const query = new URLSearchParams({ limit: String(pageSize), cursor });
    const page: RestPage<FieldMeter> = await restPage(`/api/meters?${query}`, rowSchema, {
      expectedUser: userId,
    });
    found.push(...page.rows);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}
