import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient, type Transport } from "@connectrpc/connect";
import i18next from "i18next";
import {
  OperatorUpdatesService,
  UpdateStatus,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { failureText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { fuelKindOnWire } from "#/domain/equipment-words";
import type { SendResult } from "./outbox";
import type { OutboxEntry } from "./outbox-entry";

/** Sends one entry. Its clientId is also the idempotency key, the same on every repeat. */
export async function sendUpdate(transport: Transport, entry: OutboxEntry): Promise<SendResult> {
  try {
    const { update } = await createClient(OperatorUpdatesService, transport).submitUpdate(
      toRequest(entry),
      { headers: { "Idempotency-Key": entry.clientId } },
    );
    return { kind: "sent", automatic: update?.status === UpdateStatus.RECENT };
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
    capturedAt: timestampFromDate(new Date(entry.capturedAt)),
  };
}

/** Temporary failures keep an entry in the queue; a refusal needs the operator. */
export function judge(error: unknown): SendResult {
  const failure = toFailure(error);
  const reason = failureText(i18next.t, failure, "errors.server");
  switch (failure.status) {
    case 0:
      return failure.code === "UNKNOWN" ? { kind: "failed", reason } : { kind: "blocked" };
    case 401:
    case 429:
    case 499:
    case 503:
    case 504:
      return { kind: "blocked" };
    case 409:
    case 500:
    case 501:
      return { kind: "failed", reason };
    default:
      return { kind: "refused", reason };
  }
}
