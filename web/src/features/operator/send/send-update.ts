import i18next from "i18next";
import { failureText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { rest } from "#/api/rest";
import { ownUpdateSchema } from "../offline-data/own-update";
import type { SendBlocker, SendResult } from "./outbox";
import type { OutboxEntry } from "./outbox-entry";

/**
 * Sends one entry. Its clientId is the idempotency key of all retries. The server refuses it when the
 * session belongs to another user.
 */
export async function sendUpdate(entry: OutboxEntry, userId: string): Promise<SendResult> {
  try {
    const update = await rest("POST", "/api/operator-updates", ownUpdateSchema, {
      body: toRequest(entry),
      idempotencyKey: entry.clientId,
      expectedUser: userId,
    });
    if (update.operatorId !== userId) {
      // The server has stored it under another user. It can't be withdrawn.
      return { kind: "refused", reason: i18next.t("device.wrongPerson") };
    }
    return { kind: "sent", update };
  } catch (error) {
    return toSendResult(error);
  }
}

/** The API accepts a fuel type only with a fuel amount. */
export function toRequest(entry: OutboxEntry) {
  const { clientId, equipmentId, reading, increase, unit, fuelAdded, fuelKind, fullFill, notes } =
    entry;
  const isAdded = increase != null;
  const capturedAt = new Date(entry.capturedAt);
  return {
    clientId,
    equipmentId,
    ...(isAdded ? { usageIncrease: increase } : reading !== null && { newUsage: reading }),
    ...((isAdded || reading !== null) && unit && { unit }),
    ...(fuelAdded !== null && { fuelAdded, fuelType: fuelKind, ...(fullFill && { fullFill }) }),
    notes,
    // Without a time the server uses the current time.
    ...(!Number.isNaN(capturedAt.getTime()) && { capturedAt: capturedAt.toISOString() }),
  };
}

/** Temporary failures keep an entry in the queue. A refusal needs a correction by the operator. */
export function toSendResult(error: unknown): SendResult {
  const failure = toFailure(error);
  const { status, code, said, retryAfter } = failure;
  const blocked = (by: SendBlocker): SendResult => ({
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
      // An error of a proxy is not a refusal.
      const isOfServer = code !== null || said.text !== null;
      return { kind: status < 500 && isOfServer ? "refused" : "failed", reason };
    }
  }
}
