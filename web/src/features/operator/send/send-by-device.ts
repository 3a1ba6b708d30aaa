import * as v from "valibot";
import { rest } from "#/api/rest";
import { dropEnded, endEnrolment, readEnrolment, sign } from "#/device/enrolment";
import { ownUpdateSchema } from "../offline-data/own-update";
import type { SendResult } from "./outbox";
import type { OutboxEntry } from "./outbox-entry";
import { toRequest, toSendResult } from "./send-update";

const states = v.fallback(v.picklist(["active", "removed"]), "active");
const answerSchema = v.object({ ...ownUpdateSchema.entries, device: states, person: states });

/**
 * Sends an entry without a session, signed by the phone's key. Returns null if its author is not
 * enrolled on this phone. A removal that the server reports is applied at once.
 */
export async function sendByDevice(entry: OutboxEntry, userId: string): Promise<SendResult | null> {
  const device = await readEnrolment();
  if (!device?.people.some(({ user }) => user.id === userId)) return null;
  const { id: deviceId } = device;
  const payload = JSON.stringify({ deviceId, operatorId: userId, update: toRequest(entry) });
  try {
    const answer = await rest("POST", `/api/devices/${deviceId}/updates`, answerSchema, {
      body: { payload, signature: await sign(device, payload) },
      idempotencyKey: entry.clientId,
    });
    if (answer.device === "removed") await endEnrolment(null);
    else if (answer.person === "removed") await endEnrolment(userId);
    await dropEnded(userId);
    const isRemoved = answer.device === "removed" || answer.person === "removed";
    return { kind: "sent", update: answer, isRemoved };
  } catch (error) {
    return toSendResult(error);
  }
}
