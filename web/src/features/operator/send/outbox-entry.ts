import * as v from "valibot";
import { fuelKinds } from "#/domain/equipment-words";

/**
 * What an operator wrote, as it lies on the device until the server has it. A tab with an older or a
 * newer version may read it too: nothing may become required, and what is unknown here is kept.
 */
const outboxEntrySchema = v.looseObject({
  /** Makes sending it twice store it once. */
  clientId: v.string(),
  /** When the operator read the meter, RFC 3339. */
  capturedAt: v.string(),
  equipmentId: v.string(),
  equipmentName: v.string(),
  reading: v.nullable(v.number()),
  fuelAdded: v.nullable(v.number()),
  fuelKind: v.picklist(fuelKinds),
  notes: v.string(),
  /** `refused` ones wait for the operator, the others for the connection. */
  state: v.picklist(["waiting", "refused"]),
  /** Why the server refused it, or what it said when it failed over it. */
  reason: v.nullable(v.string()),
  /** How often the server failed over it. */
  failures: v.number(),
  /** Whether `capturedAt` has been compared with the server's clock. */
  clockChecked: v.optional(v.boolean()),
  /** By how many milliseconds the server's clock was ahead at the capture; null: not known then. */
  clockError: v.optional(v.nullable(v.number())),
  /** Where not: which moment of the page's life it was. */
  clockMoment: v.optional(v.string()),
});

export type OutboxEntry = v.InferOutput<typeof outboxEntrySchema>;

/** Null for what can't be read: a newer version's, or damaged. */
export function readEntry(stored: unknown): OutboxEntry | null {
  const entry = v.safeParse(outboxEntrySchema, stored);
  return entry.success ? entry.output : null;
}
