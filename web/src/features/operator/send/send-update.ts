import i18next from "i18next";
import { failureText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { rest } from "#/api/rest";
import { ownUpdateSchema } from "../offline-data/own-update";
import type { SendResult } from "./outbox";
import type { OutboxEntry } from "./outbox-entry";

/**
 * Sends one entry of a person. Its clientId is also the idempotency key, the same on every repeat,
 * and the server is told whose it is: with another person's cookie it must not take it.
 */
export async function sendUpdate(entry: OutboxEntry, userId: string): Promise<SendResult> {
  try {
    const update = await rest("POST", "/api/operator-updates", ownUpdateSchema, {
      body: toRequest(entry),
      idempotencyKey: entry.clientId,
      expectedUser: userId,
    });
    if (update.operatorId !== userId) {
      // It can't be called back; a person has to know that it stands under another name.
      return { kind: "refused", reason: i18next.t("device.wrongPerson") };
    }
    return { kind: "sent", update };
  } catch (error) {
    return judge(error);
  }
}

/** Fuel type only goes with fuel (section 4). */
export function toRequest(entry: OutboxEntry) {
  const { clientId, equipmentId, reading, fuelAdded, fuelKind, notes } = entry;
  const capturedAt = new Date(entry.capturedAt);
  return {
    clientId,
    equipmentId,
    ...(reading !== null && { newUsage: reading }),
    ...(fuelAdded !== null && { fuelAdded, fuelType: fuelKind }),
    notes,
    // A time that can't be read counts as now at the server.
    ...(!Number.isNaN(capturedAt.getTime()) && { capturedAt: capturedAt.toISOString() }),
  };
}

/** Temporary failures keep an entry in the queue; a refusal needs the operator. */
export function judge(error: unknown): SendResult {
  const failure = toFailure(error);
  const { status, code, said, retryAfter } = failure;
  const blocked = (by: "offline" | "session" | "server" | "limit"): SendResult => ({
    kind: "blocked",
    by,
    retryAfter,
  });
  if (code === "OTHER_PERSON") return blocked("session");
  const reason = failureText(i18next.t, failure, "errors.server");
  switch (status) {
    case 0:
      return code === "UNKNOWN" ? { kind: "failed", reason } : blocked("offline");
    case 401:
      return blocked("session");
    case 429:
      return blocked("limit");
    case 504:
      return blocked("offline");
    case 502:
    case 503:
      return blocked("server");
    case 409:
      return { kind: "failed", reason };
    default: {
      // What a proxy in between says does not concern the entry.
      const isOfServer = code !== null || said.text !== null;
      return { kind: status < 500 && isOfServer ? "refused" : "failed", reason };
    }
  }
}
