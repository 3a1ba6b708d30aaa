import type { EquipmentValues } from "./schema";
import { toInput } from "./values";

// Two people edited one piece of equipment. What they changed in different places goes together by
// itself; what both changed is for the one who saves later to decide.

/** What is decided as a whole: a field, or several that only mean something together. */
const fieldsOf = {
  name: ["name"],
  type: ["type"],
  unitNumber: ["unitNumber"],
  serialNumber: ["serialNumber"],
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

/** Figures in the meter's unit: with another unit they are other figures. */
const measured: ReadonlySet<Topic> = new Set([
  "currentUsage",
  "threshold",
  "serviceInterval",
  "lastServiceUsage",
]);

export interface Merge {
  /** Changed by both, differently. */
  conflicts: Topic[];
  /** Changed by the others alone. */
  theirs: Topic[];
}

/** `base` is what both began with, `theirs` what is stored now, `mine` what is typed. */
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

/** `values` with these topics as they are in `from`. */
export function take(
  values: EquipmentValues,
  from: EquipmentValues,
  taken: readonly Topic[],
): EquipmentValues {
  const names: ReadonlyArray<keyof EquipmentValues> = taken.flatMap((topic) => fieldsOf[topic]);
  const picked = Object.fromEntries(names.map((name) => [name, from[name]]));
  return { ...values, ...picked };
}

/** Compared as they would be sent: "4,812.50" and "4812.5" are the same. */
function same(one: EquipmentValues, other: EquipmentValues, topic: Topic): boolean {
  const [left, right] = [toInput(one), toInput(other)];
  return fieldsOf[topic].every(
    (name) => JSON.stringify(left[name]) === JSON.stringify(right[name]),
  );
}
