import * as v from "valibot";
import { fuelKinds, meterUnits } from "#/domain/equipment-words";

/**
 * An unsent update as stored on the device. Tabs with older or newer versions read it too, so new
 * fields must be optional and unknown fields are kept.
 */
const outboxEntrySchema = v.looseObject({
  /** Idempotency key of the request. */
  clientId: v.string(),
  /** When the operator read the meter, RFC 3339. */
  capturedAt: v.string(),
  equipmentId: v.string(),
  equipmentName: v.string(),
  /** The reading; of added usage the expected one, which only earlier versions send. */
  reading: v.nullable(v.number()),
  /** Usage added since the last reading. */
  increase: v.optional(v.nullable(v.number())),
  /** The unit of the usage at the capture. */
  unit: v.optional(v.picklist(meterUnits)),
  fuelAdded: v.nullable(v.number()),
  fuelKind: v.picklist(fuelKinds),
  /** The fuel filled the tank. */
  fullFill: v.optional(v.boolean()),
  notes: v.string(),
  /** `refused` entries need a correction by the operator. */
  state: v.picklist(["waiting", "refused"]),
  /** The server's reason for a refusal or failure. */
  reason: v.nullable(v.string()),
  /** Number of server failures on this entry. */
  failures: v.number(),
  /** Whether `capturedAt` has been compared with the server's clock. */
  clockChecked: v.optional(v.boolean()),
  /** Milliseconds that the server's clock was ahead at the capture. Null if it was unknown then. */
  clockError: v.optional(v.nullable(v.number())),
  /** If `clockError` is null: the id of the capture's moment on its page. */
  clockMoment: v.optional(v.string()),
});

export type OutboxEntry = v.InferOutput<typeof outboxEntrySchema>;

/** Returns null for an entry that is damaged or of an incompatible version. */
export function readEntry(stored: unknown): OutboxEntry | null {
  const entry = v.safeParse(outboxEntrySchema, stored);
  return entry.success ? entry.output : null;
}
