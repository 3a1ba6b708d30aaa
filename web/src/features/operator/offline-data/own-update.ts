import * as v from "valibot";
import { fuelKinds } from "#/domain/equipment-words";

const statuses = ["pending", "recent", "applied", "rejected"] as const;
export type UpdateStatus = (typeof statuses)[number];

/** RFC 3339 from the server, a `Date` in a copy on the device. */
export const instantSchema = v.pipe(
  v.union([v.date(), v.pipe(v.string(), v.isoTimestamp())]),
  v.transform((time) => new Date(time)),
);

/** A submission of this person, as the server has it. Also read from a copy on the device. */
export const ownUpdateSchema = v.object({
  id: v.string(),
  clientId: v.string(),
  equipmentId: v.string(),
  equipmentName: v.string(),
  /** The machine it was reported for, where the manager has moved it to another. */
  reportedEquipmentName: v.nullable(v.string()),
  operatorId: v.string(),
  newUsage: v.nullable(v.number()),
  fuelAdded: v.number(),
  fuelType: v.fallback(v.picklist(fuelKinds), "gas"),
  notes: v.string(),
  status: v.fallback(v.picklist(statuses), "pending"),
  rejectReason: v.nullable(v.string()),
  reviewedAt: v.nullable(instantSchema),
  createdAt: instantSchema,
  capturedAt: v.nullable(instantSchema),
});

export type OwnUpdate = v.InferOutput<typeof ownUpdateSchema>;

/** When the meter was read; it may have been sent later. */
export const readAt = ({ capturedAt, createdAt }: OwnUpdate): Date => capturedAt ?? createdAt;
