import * as v from "valibot";
import { toFailure } from "#/api/errors";
import { rest } from "#/api/rest";
import { dropEnded, endEnrolment, readEnrolment, sign, type Enrolment } from "#/device/enrolment";
import { ownUpdateSchema } from "../offline-data/own-update";
import type { SendResult } from "./outbox";
import type { OutboxEntry } from "./outbox-entry";
import { toRequest, toSendResult } from "./send-update";

const states = { device: v.string(), person: v.string() };
const answerSchema = v.union([
  v.object({
    ...ownUpdateSchema.entries,
    device: v.literal("active"),
    person: v.literal("active"),
  }),
  v.object(states),
]);

export const idsOf = (people: Enrolment["people"]) => people.map(({ user }) => user.id);

/** Whether the server does not take what this phone signs. */
export const isNotAccepted = (error: unknown) => toFailure(error).code === "DEVICE_NOT_ACCEPTED";

/**
 * Sends an entry without a session, signed by the phone's key. Returns null if the phone may not
 * send for its author. A removal that the server reports is applied at once.
 */
export async function sendByDevice(entry: OutboxEntry, userId: string): Promise<SendResult | null> {
  const device = await readEnrolment();
  const person = device?.people.find(({ user }) => user.id === userId);
  if (!device || !person || person.refused) return null;
  const signer = person.former ?? device;
  const { id: deviceId } = signer;
  const payload = JSON.stringify({ deviceId, operatorId: userId, update: toRequest(entry) });
  try {
    const answer = await rest("POST", `/api/devices/${deviceId}/updates`, answerSchema, {
      body: { payload, signature: await sign(signer, payload) },
      idempotencyKey: entry.clientId,
      anonymous: true,
    });
    if (answer.device === "removed") {
      const removed = device.people.filter(({ former }) => (former ?? device).id === deviceId);
      await endEnrolment(device, idsOf(removed), "device");
    } else if (answer.person === "removed") await endEnrolment(device, [userId], "person");
    // The key stays until then, because a page that closes before leaves the entry to be sent again.
    return { kind: "sent", update: "id" in answer ? answer : null, afterRemoval: dropEnded };
  } catch (error) {
    if (isNotAccepted(error)) await endEnrolment(device, [userId], "refused");
    return toSendResult(error);
  }
}
