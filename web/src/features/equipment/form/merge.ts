import type { EquipmentValues } from "./schema";
import { toInput } from "./values";

// Merges two edits of one machine. Changes of different fields are merged automatically; fields
// that both changed are decided by the second person.

/** A unit of decision: a field, or several that belong together. */
const fieldsOf = {
  name: ["name"],
  type: ["type"],
  unitNumber: ["unitNumber"],
  serialNumber: ["serialNumber"],
  group: ["group"],
  operationalStatus: ["operationalStatus"],
  unit: ["unit"],
  fuel: ["fuel"],
  currentUsage: ["currentUsage"],
  threshold: ["threshold"],
  alertThreshold: ["alertThreshold"],
  serviceInterval: ["serviceInterval"],
  lastServiceUsage: ["lastServiceUsage"],
  schedule: [
    "hasScheduledMaintenance",
    "maintenanceStartDate",
    "maintenanceInterval",
    "maintenanceIntervalUnit",
  ],
  serviceParts: ["serviceParts"],
  description: ["description"],
} as const satisfies Record<string, ReadonlyArray<keyof EquipmentValues>>;

export type Topic = keyof typeof fieldsOf;

const topics: readonly Topic[] = [
  "name",
  "type",
  "unitNumber",
  "serialNumber",
  "group",
  "operationalStatus",
  "unit",
  "fuel",
  "currentUsage",
  "threshold",
  "alertThreshold",
  "serviceInterval",
  "lastServiceUsage",
  "schedule",
  "serviceParts",
  "description",
];

/** Figures in the meter's unit; their meaning changes with the unit. */
const measured: ReadonlySet<Topic> = new Set([
  "currentUsage",
  "threshold",
  "serviceInterval",
  "lastServiceUsage",
]);

export interface Merge {
  /** Changed by both to different values. */
  conflicts: Topic[];
  /** Changed only by the other person. */
  theirs: Topic[];
}

/** `base` is the common version, `theirs` the stored one, `mine` the typed one. */
export function mergeOf(
  base: EquipmentValues,
  theirs: EquipmentValues,
  mine: EquipmentValues,
): Merge {
  const byThem = topics.filter((topic) => !same(base, theirs, topic));
  const byMe = topics.filter((topic) => !same(base, mine, topic));
  const unitChanged = byThem.includes("unit");
  return {
    conflicts: byMe.filter(
      (topic) =>
        !same(theirs, mine, topic) &&
        (byThem.includes(topic) || (unitChanged && measured.has(topic))),
    ),
    theirs: byThem.filter((topic) => !byMe.includes(topic)),
  };
}

/** Returns `values` with these topics taken from `from`. */
export function take(
  values: EquipmentValues,
  from: EquipmentValues,
  taken: readonly Topic[],
): EquipmentValues {
  const names: ReadonlyArray<keyof EquipmentValues> = taken.flatMap((topic) => fieldsOf[topic]);
  const picked = Object.fromEntries(names.map((name) => [name, from[name]]));
  return { ...values, ...picked };
}

/** Compared as sent: "4,812.50" and "4812.5" are equal. */
function same(one: EquipmentValues, other: EquipmentValues, topic: Topic): boolean {
  const [left, right] = [toInput(one), toInput(other)];
  return fieldsOf[topic].every(
    (name) => JSON.stringify(left[name]) === JSON.stringify(right[name]),
  );
}
