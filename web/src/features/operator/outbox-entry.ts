import * as v from "valibot";
import { fuelKinds } from "#/domain/equipment-words";

/** What an operator wrote, as it lies on the device until the server has it. */
const outboxEntrySchema = v.object({
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
  /** Why the server refused it. */
  reason: v.nullable(v.string()),
  /** How often the server failed over it; after a few times it must not be tried for ever. */
  failures: v.number(),
});

export type OutboxEntry = v.InferOutput<typeof outboxEntrySchema>;

const listSchema = v.array(v.unknown());

/** What lies in the store may come from an older version; what can't be read is left out. */
export function readEntries(stored: unknown): OutboxEntry[] {
  const list = v.safeParse(listSchema, stored);
  if (!list.success) return [];
  return list.output.flatMap((item) => {
    const entry = v.safeParse(outboxEntrySchema, item);
    return entry.success ? [entry.output] : [];
  });
}
