import { queryOptions, useQuery } from "@tanstack/react-query";
import * as v from "valibot";
import { restPage, type RestPage } from "#/api/rest";
import { cacheKeys } from "#/device/person";
import { equipmentTypes } from "#/domain/equipment-types";
import { equipmentFuels, meterUnits, operationalStatuses } from "#/domain/equipment-words";
import { fieldRefresh, cachedCopy, useSynced, type Synced } from "./cached-query";
import { instantSchema } from "./own-update";
import { useUserDeps, type UserDeps } from "./per-user";

const machineFields = {
  equipmentId: v.string(),
  name: v.string(),
  type: v.fallback(v.picklist(equipmentTypes), "other"),
  serialNumber: v.nullable(v.string()),
  /** Missing in older cached copies. */
  unitNumber: v.optional(v.nullable(v.string()), null),
  unit: v.fallback(v.picklist(meterUnits), "n/a"),
  meterReading: v.number(),
  /** Null if the meter was never read. */
  meterReadAt: v.nullable(instantSchema),
  /** Null with too few readings. */
  usualDailyUse: v.nullable(v.number()),
  /** Gallons per fill. Null with too few fills. */
  usualFill: v.nullable(v.number()),
  serviceStatus: v.fallback(
    v.picklist(["good", "approaching_service", "time_for_service", "overdue"]),
    "good",
  ),
  /** Missing in older cached copies. */
  operationalStatus: v.fallback(v.picklist(operationalStatuses), "in_use"),
};
const fuelSchema = v.fallback(v.picklist(equipmentFuels), "n/a");

/** A machine as operators see it, cached for use without a connection. */
const fieldMachineSchema = v.object({ ...machineFields, fuel: fuelSchema });

export type FieldMachine = v.InferOutput<typeof fieldMachineSchema>;

export interface Machines extends Synced {
  /** Ordered by name. */
  machines: readonly FieldMachine[];
}

const pageSize = 500;
const none: readonly FieldMachine[] = [];
const cachedSchema = v.array(fieldMachineSchema);

export const machinesKey = (userId: string) => ["meters", userId];

function machinesQuery(person: UserDeps) {
  const queryKey = machinesKey(person.userId);
  const copy = cachedCopy<readonly FieldMachine[]>(person, {
    key: cacheKeys.meters(person.userId),
    queryKey,
    encode: (machines) => machines,
    decode: (stored) => {
      const cached = v.safeParse(cachedSchema, stored);
      return cached.success ? cached.output : null;
    },
  });
  return queryOptions({
    ...fieldRefresh,
    queryKey,
    queryFn: async () => {
      await copy.restore();
      const machines = await fetchMachines(person);
      void copy.write(machines);
      return machines;
    },
  });
}

/** The company's machines: the cached copy first, then the server's response. */
export function useMachines(): Machines {
  const query = useQuery(machinesQuery(useUserDeps()));
  return { ...useSynced(query), machines: query.data ?? none };
}

const rowSchema = v.pipe(
  v.object({ ...machineFields, fuelType: fuelSchema }),
  v.transform(({ fuelType, ...row }): FieldMachine => ({ ...row, fuel: fuelType })),
);

async function fetchMachines({ userId }: UserDeps): Promise<readonly FieldMachine[]> {
  const found: FieldMachine[] = [];
  let cursor: string | null = "";
  do {
    const query = new URLSearchParams({ limit: String(pageSize), cursor });
    const page: RestPage<FieldMachine> = await restPage(`/api/meters?${query}`, rowSchema, {
      expectedUser: userId,
    });
    found.push(...page.rows);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}
