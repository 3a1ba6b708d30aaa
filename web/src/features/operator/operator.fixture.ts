import * as v from "valibot";
import { operator, type Answer, type Routes } from "#/test/render-app";
import type { FieldMeter } from "./offline-data/meters";
import type { OwnUpdate } from "./offline-data/own-update";

const dayMs = 86_400_000;
export const ago = (days: number) => new Date(Date.now() - days * dayMs);

/** A machine as the server answers it. */
export const machine = (equipmentId: string, name: string, more: object = {}) => ({
  equipmentId,
  name,
  type: "machinery",
  serialNumber: null,
  unitNumber: null,
  unit: "hours",
  fuelType: "diesel",
  meterReading: 0,
  meterReadAt: ago(1),
  usualDailyUse: 8,
  usualFill: 40,
  serviceStatus: "good",
  ...more,
});

/** The same as the page keeps it. */
export const fieldMeter = (equipmentId: string, more: Partial<FieldMeter> = {}): FieldMeter => ({
  equipmentId,
  name: "Excavator",
  type: "machinery",
  serialNumber: null,
  unitNumber: null,
  unit: "hours",
  fuel: "diesel",
  meterReading: 4804.1,
  meterReadAt: ago(1),
  usualDailyUse: 8,
  usualFill: 40,
  serviceStatus: "good",
  ...more,
});

/** A submission as the server answers it, and as the page keeps it. */
export const ownUpdate = (id: string, more: Partial<OwnUpdate> = {}): OwnUpdate => ({
  id,
  clientId: id,
  equipmentId: "e1",
  equipmentName: "Excavator",
  reportedEquipmentName: null,
  operatorId: operator.id,
  newUsage: null,
  fuelAdded: 0,
  fuelType: "gas",
  notes: "",
  status: "pending",
  rejectReason: null,
  reviewedAt: null,
  createdAt: ago(1),
  capturedAt: ago(1),
  ...more,
});

const submissionSchema = v.object({
  clientId: v.string(),
  equipmentId: v.string(),
  newUsage: v.optional(v.number()),
  fuelAdded: v.optional(v.number()),
  fuelType: v.optional(v.picklist(["gas", "diesel"])),
  notes: v.string(),
  capturedAt: v.optional(v.string()),
});
export type Submission = v.InferOutput<typeof submissionSchema>;

export const unavailable: Answer = { status: 503, body: { message: "busy" } };
export const refusal = (message: string): Answer => ({ status: 400, body: { message } });

/** The server of one operator. `judge` may refuse a submission, `list` fail the list of machines. */
export function operatorServer({
  who = operator,
  meters = [],
  sent = [],
  list = () => undefined,
  judge = () => undefined,
}: {
  who?: { id: string };
  meters?: ReturnType<typeof machine>[];
  sent?: OwnUpdate[];
  list?: () => Answer | void | Promise<Answer | void>;
  judge?: (submission: Submission) => Answer | void | Promise<Answer | void>;
} = {}) {
  const received: Submission[] = [];
  const keys: (string | null)[] = [];
  const updates = [...sent];
  const routes: Routes = {
    "GET /api/meters": async () => (await list()) ?? { status: 200, body: meters },
    "GET /api/operator-updates": () => ({ status: 200, body: updates }),
    "POST /api/operator-updates": async ({ body, headers }) => {
      const submission = v.parse(submissionSchema, body);
      received.push(submission);
      keys.push(headers.get("Idempotency-Key"));
      const refused = await judge(submission);
      if (refused) return refused;
      const { clientId, equipmentId, newUsage = null, fuelAdded = 0, notes } = submission;
      const at = new Date(submission.capturedAt ?? Date.now());
      const stored = ownUpdate(clientId, {
        equipmentId,
        equipmentName: meters.find((each) => each.equipmentId === equipmentId)?.name ?? "",
        operatorId: who.id,
        newUsage,
        fuelAdded,
        notes,
        createdAt: at,
        capturedAt: at,
      });
      updates.unshift(stored);
      return { status: 201, body: stored };
    },
  };
  return { routes, received, keys };
}
