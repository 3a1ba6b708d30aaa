import * as v from "valibot";
import { operator, type Answer, type Routes } from "#/test/render-app";
import type { FieldMachine } from "./offline-data/machines";
import type { OwnUpdate } from "./offline-data/own-update";

const dayMs = 86_400_000;
export const ago = (days: number) => new Date(Date.now() - days * dayMs);

/** A machine as in a server response. */
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
  operationalStatus: "in_use",
  ...more,
});

/** A machine as the client holds it. */
export const fieldMachine = (
  equipmentId: string,
  more: Partial<FieldMachine> = {},
): FieldMachine => ({
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
  operationalStatus: "in_use",
  ...more,
});

export const ownUpdate = (id: string, more: Partial<OwnUpdate> = {}): OwnUpdate => ({
  id,
  clientId: id,
  equipmentId: "e1",
  equipmentName: "Excavator",
  reportedEquipmentName: null,
  operatorId: operator.id,
  newUsage: null,
  usageIncrease: null,
  unit: "hours",
  flags: [],
  appliedReading: null,
  appliedFuel: null,
  appliedFuelType: null,
  fuelAdded: 0,
  fuelType: "gas",
  fullFill: false,
  notes: "",
  status: "pending",
  rejectReason: null,
  withdrawn: false,
  takenBackReason: null,
  reviewedAt: null,
  createdAt: ago(1),
  capturedAt: ago(1),
  ...more,
});

const submissionSchema = v.object({
  clientId: v.string(),
  equipmentId: v.string(),
  newUsage: v.optional(v.number()),
  usageIncrease: v.optional(v.number()),
  unit: v.optional(v.string()),
  fuelAdded: v.optional(v.number()),
  fuelType: v.optional(v.picklist(["gas", "diesel"])),
  notes: v.string(),
  capturedAt: v.optional(v.string()),
});
export type Submission = v.InferOutput<typeof submissionSchema>;

export const unavailable: Answer = { status: 503, body: { message: "busy" } };
export const refusal = (message: string): Answer => ({ status: 400, body: { message } });

/**
 * A server for one operator. `answerSubmission` may refuse a submission, `answerWithdrawal` a withdrawal,
 * `list` may fail the machines.
 */
export function operatorServer({
  who = operator,
  machines = [],
  sent = [],
  list = () => undefined,
  answerSubmission = () => undefined,
  answerWithdrawal = () => undefined,
}: {
  who?: { id: string };
  machines?: ReturnType<typeof machine>[];
  sent?: OwnUpdate[];
  list?: () => Answer | void | Promise<Answer | void>;
  answerSubmission?: (submission: Submission) => Answer | void | Promise<Answer | void>;
  answerWithdrawal?: (stored: OwnUpdate) => Answer | void;
} = {}) {
  const received: Submission[] = [];
  const keys: (string | null)[] = [];
  const updates: OwnUpdate[] = [];
  const routes: Routes = {
    "GET /api/meters": async () => (await list()) ?? { status: 200, body: machines },
    "GET /api/operator-updates": () => ({ status: 200, body: updates }),
    "POST /api/operator-updates": async ({ body, headers }) => {
      const submission = v.parse(submissionSchema, body);
      received.push(submission);
      keys.push(headers.get("Idempotency-Key"));
      const refused = await answerSubmission(submission);
      if (refused) return refused;
      const { clientId, equipmentId, newUsage = null, fuelAdded = 0, notes } = submission;
      const { usageIncrease = null } = submission;
      const at = new Date(submission.capturedAt ?? Date.now());
      const stored = ownUpdate(clientId, {
        equipmentId,
        equipmentName: machines.find((each) => each.equipmentId === equipmentId)?.name ?? "",
        operatorId: who.id,
        newUsage,
        usageIncrease,
        fuelAdded,
        notes,
        createdAt: at,
        capturedAt: at,
      });
      add(stored);
      return { status: 201, body: stored };
    },
  };
  const add = (update: OwnUpdate) => {
    updates.unshift(update);
    routes[`POST /api/operator-updates/${update.id}/withdraw`] = () => {
      const refused = answerWithdrawal(update);
      if (refused) return refused;
      Object.assign(update, { status: "rejected", withdrawn: true, rejectReason: "WITHDRAWN" });
      return { status: 200, body: update };
    };
  };
  for (const update of sent.toReversed()) add({ ...update });
  return { routes, received, keys };
}
