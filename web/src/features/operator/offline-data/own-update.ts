import * as v from "valibot";
import { fuelKinds, meterUnits } from "#/domain/equipment-words";

const statuses = ["pending", "recent", "applied", "rejected", "taken_back"] as const;

/** RFC 3339 from the server or local storage, `Date` in the database. */
export const instantSchema = v.pipe(
  v.union([v.date(), v.pipe(v.string(), v.isoTimestamp())]),
  v.transform((time) => new Date(time)),
);

/** An update of this user, from the server or from the cached copy. */
export const ownUpdateSchema = v.object({
  id: v.string(),
  clientId: v.string(),
  equipmentId: v.string(),
  equipmentName: v.string(),
  /** The original machine, if a manager moved the update to another one. */
  reportedEquipmentName: v.nullable(v.string()),
  operatorId: v.string(),
  newUsage: v.nullable(v.number()),
  /** Usage added, instead of a reading. Cached copies of earlier versions have none. */
  usageIncrease: v.optional(v.nullable(v.number()), null),
  /** The unit of the usage at the capture. Unknown in copies and updates of earlier versions. */
  unit: v.fallback(v.optional(v.picklist(meterUnits)), undefined),
  flags: v.optional(v.array(v.string()), []),
  /** The reading that a manager applied instead. Absent in cached copies of earlier versions. */
  appliedReading: v.optional(v.nullable(v.number()), null),
  /** The fuel that a manager applied instead, likewise. */
  appliedFuel: v.optional(v.nullable(v.number()), null),
  appliedFuelType: v.optional(v.nullable(v.picklist(fuelKinds)), null),
  fuelAdded: v.number(),
  fuelType: v.fallback(v.picklist(fuelKinds), "gas"),
  fullFill: v.optional(v.boolean(), false),
  notes: v.string(),
  status: v.fallback(v.picklist(statuses), "pending"),
  rejectReason: v.nullable(v.string()),
  /** Rejected by the user. */
  withdrawn: v.optional(v.boolean(), false),
  takenBackReason: v.optional(v.nullable(v.string()), null),
  reviewedAt: v.nullable(instantSchema),
  createdAt: instantSchema,
  capturedAt: v.nullable(instantSchema),
});

export type OwnUpdate = v.InferOutput<typeof ownUpdateSchema>;

/** The time of the reading, which may be earlier than the time of sending. */
export const readAt = ({ capturedAt, createdAt }: OwnUpdate): Date => capturedAt ?? createdAt;
