import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient, type Transport } from "@connectrpc/connect";
import i18next from "i18next";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { failureText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { fuelKindOnWire } from "#/domain/equipment-words";
import type { SendResult } from "./outbox";
import type { OutboxEntry } from "./outbox-entry";

/**
 * Sends one entry of a person. Its clientId is also the idempotency key, the same on every repeat,
 * and the server is told whose it is: with another person's cookie it must not take it.
 */
export async function sendUpdate(
  transport: Transport,
  entry: OutboxEntry,
  userId: string,
): Promise<SendResult> {
  try {
    const { update } = await createClient(OperatorUpdatesService, transport).submitUpdate(
      toRequest(entry),
      { headers: { "Idempotency-Key": entry.clientId, "X-Expected-User": userId } },
    );
    if (update && update.operatorId !== "" && update.operatorId !== userId) {
      // It can't be called back; a person has to know that it stands under another name.
      return { kind: "refused", reason: i18next.t("device.wrongPerson") };
    }
    return { kind: "sent", update: update ?? null };
  } catch (error) {
    return judge(error);
  }
}

/** Fuel type only goes with fuel (section 4). */
export function toRequest(entry: OutboxEntry) {
  return {
    equipmentId: entry.equipmentId,
    ...(entry.reading === null ? {} : { newUsage: entry.reading }),
    ...(entry.fuelAdded === null
      ? {}
      : { fuelAdded: entry.fuelAdded, fuelKind: fuelKindOnWire[entry.fuelKind] }),
    notes: entry.notes,
    clientId: entry.clientId,
    ...capturedAt(entry),
  };
}

/** A time that can't be read counts as now at the server. */
function capturedAt(entry: OutboxEntry) {
  const time = new Date(entry.capturedAt);
  return Number.isNaN(time.getTime()) ? {} : { capturedAt: timestampFromDate(time) };
}

/** Temporary failures keep an entry in the queue; a refusal needs the operator. */
export function judge(error: unknown): SendResult {
  const failure = toFailure(error);
  const { code, retryAfter } = failure;
  const blocked = (by: "offline" | "session" | "server" | "limit"): SendResult => ({
    kind: "blocked",
    by,
    retryAfter,
  });
  if (code === "OTHER_PERSON") return blocked("session");
  const failed = (): SendResult => ({
    kind: "failed",
    reason: failureText(i18next.t, failure, "errors.server"),
  });
  switch (failure.status) {
    case 0:
      return code === "UNKNOWN" ? failed() : blocked("offline");
    case 401:
      return blocked("session");
    case 429:
      return blocked("limit");
    case 499:
    case 504:
      return blocked("offline");
    case 502:
    case 503:
      return blocked("server");
    case 409:
    case 500:
    case 501:
      return failed();
    default:
      return { kind: "refused", reason: failureText(i18next.t, failure, "errors.server") };
  }
}
