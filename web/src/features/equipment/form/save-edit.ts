import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { toFailure } from "#/api/errors";
import {
  EquipmentService,
  HistoryKind,
  type Equipment,
  type EquipmentWarning,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { mergeOf, take, type Topic } from "./merge";
import type { EquipmentValues } from "./schema";
import { toUpdateInput, valuesOf } from "./values";

/** Who changed it last and when; null if unknown. */
export type LastChange = { by: string; at: Date | null } | null;

export type EditOutcome =
  | { kind: "saved"; merged: Topic[]; change: LastChange; warnings: EquipmentWarning[] }
  | {
      kind: "conflict";
      /** The stored version; the next save is compared with it. */
      stored: Equipment;
      /** The typed values, merged with changes by others. */
      values: EquipmentValues;
      conflicts: Topic[];
      merged: Topic[];
      change: LastChange;
    }
  | { kind: "gone"; retired: { by: string; at: Date | null } | null };

/** Limits the retries when someone else keeps saving in between. */
const maxTries = 4;

/**
 * Saves the changes made to `opened`. If someone else has saved since, changes to other fields are
 * merged into the new version; conflicting fields are returned for a decision.
 */
export async function saveEdit(
  transport: Transport,
  opened: Equipment,
  typed: EquipmentValues,
): Promise<EditOutcome> {
  let base = opened;
  let values = typed;
  let change: LastChange = null;
  const merged = new Set<Topic>();
  for (let tries = 1; ; tries += 1) {
    try {
      const { warnings } = await update(transport, base, values);
      return { kind: "saved", merged: [...merged], change, warnings };
    } catch (error) {
      const failure = toFailure(error);
      if (failure.status === 404) return gone(transport, opened.id);
      if (failure.code !== "STALE" || tries === maxTries) throw error;
      const [stored, last] = await Promise.all([
        load(transport, opened.id),
        lastChange(transport, opened.id),
      ]);
      if (!stored) return gone(transport, opened.id);
      const now = valuesOf(stored);
      const { conflicts, theirs } = mergeOf(valuesOf(base), now, values);
      values = take(values, now, theirs);
      for (const topic of theirs) merged.add(topic);
      base = stored;
      change = last;
      if (conflicts.length > 0) {
        return { kind: "conflict", stored, values, conflicts, merged: [...merged], change };
      }
    }
  }
}

function update(transport: Transport, base: Equipment, values: EquipmentValues) {
  return callUnaryMethod(transport, EquipmentService.method.updateEquipment, {
    id: base.id,
    equipment: toUpdateInput(valuesOf(base), values),
    expectedVersion: base.version,
  });
}

/** Null if it no longer exists. */
async function load(transport: Transport, id: string): Promise<Equipment | null> {
  try {
    const { getEquipment } = EquipmentService.method;
    return (await callUnaryMethod(transport, getEquipment, { id })).equipment ?? null;
  } catch (error) {
    if (toFailure(error).status === 404) return null;
    throw error;
  }
}

/** Retired or deleted. */
async function gone(transport: Transport, equipmentId: string): Promise<EditOutcome> {
  try {
    const { getRetired } = EquipmentService.method;
    const { retired } = await callUnaryMethod(transport, getRetired, { equipmentId });
    if (!retired) return { kind: "gone", retired: null };
    const at = retired.retiredAt ? timestampDate(retired.retiredAt) : null;
    return { kind: "gone", retired: { by: retired.retiredBy, at } };
  } catch {
    return { kind: "gone", retired: null };
  }
}

async function lastChange(transport: Transport, equipmentId: string): Promise<LastChange> {
  try {
    const { listHistory } = EquipmentService.method;
    const { records } = await callUnaryMethod(transport, listHistory, {
      equipmentId,
      kinds: [HistoryKind.EDIT, HistoryKind.USAGE, HistoryKind.SERVICE, HistoryKind.METER],
      page: { limit: 1 },
    });
    const [record] = records;
    if (!record) return null;
    return {
      by: record.operatorName,
      at: record.createdAt ? timestampDate(record.createdAt) : null,
    };
  } catch {
    // The name is optional: the decision is possible without it.
    return null;
  }
}
