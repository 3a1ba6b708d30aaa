import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate, timestampMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import type { ReactNode } from "react";
import { BillingService } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import {
  EquipmentFuel,
  EquipmentSchema,
  EquipmentService,
  type HistoryRecordSchema,
  MeterSchema,
  type MeterSegmentSchema,
  MeterUnit,
  type ServiceTaskSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  OperatorUpdateSchema,
  OperatorUpdatesService,
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { renderRouted } from "#/test/render-routed";
import { isFlagged } from "./flags";

export const at = (text: string) => timestampFromDate(new Date(text));

const equipment = [
  create(EquipmentSchema, {
    id: "e1",
    name: "Excavator",
    unit: MeterUnit.HOURS,
    currentUsage: 4804.1,
    meterReading: 4804.1,
    meterReadAt: at("2026-11-20T12:00:00Z"),
    usualDailyUse: 8,
    usualFill: 30,
    serviceInterval: 250,
    nextServiceDueUsage: 5000,
  }),
  create(EquipmentSchema, {
    id: "e2",
    name: "Pickup",
    unit: MeterUnit.MILES,
    fuel: EquipmentFuel.GASOLINE,
    currentUsage: 98904,
    meterReading: 88904,
    meterReadAt: at("2026-11-20T12:00:00Z"),
    critical: true,
    severelyCritical: true,
  }),
  create(EquipmentSchema, {
    id: "e3",
    name: "Roller",
    unitNumber: "RL-3",
    unit: MeterUnit.HOURS,
    critical: true,
  }),
];

export const update = (id: string, more: MessageInitShape<typeof OperatorUpdateSchema> = {}) =>
  create(OperatorUpdateSchema, {
    id,
    equipmentId: "e1",
    equipmentName: "Excavator",
    operatorName: "Maria Lopez",
    status: UpdateStatus.PENDING,
    newUsage: 4812.5,
    previousUsage: 4804.1,
    capturedAt: at("2026-11-21T12:00:00Z"),
    createdAt: at("2026-11-21T12:00:05Z"),
    ...more,
  });

export const pickup = { equipmentId: "e2", equipmentName: "Pickup" };
export const below = {
  ...pickup,
  newUsage: 88094,
  previousUsage: 88904,
  belowCurrent: true,
  flags: ["below_meter"],
};

interface Options {
  failApply?: ConnectError;
  /** Ids that a bulk request refuses. */
  refuse?: readonly string[];
  active?: boolean;
  /** The maximum number of updates in the review response. */
  answers?: number;
  /** Delays the review response. */
  gate?: () => Promise<void>;
  /** A bulk request succeeds, and its response gets lost. */
  answerLost?: boolean;
  /** Lists of updates in these states fail. */
  failLists?: Set<UpdateStatus>;
  /** Each element fails one bulk rejection. */
  failReject?: true[];
  /** Delays the apply response. */
  gateApply?: () => Promise<void>;
  /** Delays the equipment response. */
  gateEquipment?: (ids: readonly string[]) => Promise<void>;
  /** It is too late to undo. */
  undoExpired?: boolean;
  /** How many decisions a request undoes. */
  undoAtOnce?: number;
  /** Usage that was recorded after the updates were captured; the machines changed then. */
  history?: Array<MessageInitShape<typeof HistoryRecordSchema>>;
  /** The meters that the machines had, newest first. */
  segments?: Array<MessageInitShape<typeof MeterSegmentSchema>>;
  /** What the machines' meters show after an update was applied. */
  meterAfter?: number;
  /** The service tasks of the machines. */
  tasks?: Array<MessageInitShape<typeof ServiceTaskSchema>>;
  /** The id of a retired machine; restoring it is refused with `failRestore`. */
  retired?: string;
  failRestore?: ConnectError;
  /** A moved update is unusual on its new machine, too. */
  moveWaits?: boolean;
}

const decidedMs = ({ takenBackAt, reviewedAt }: OperatorUpdate) => {
  const decided = takenBackAt ?? reviewedAt;
  return decided ? timestampMs(decided) : 0;
};

/** Renders a part of the page with these updates. */
export async function open(part: ReactNode, updates: OperatorUpdate[], options: Options = {}) {
  const calls: unknown[] = [];
  const of = (id: string) => {
    const found = updates.find((each) => each.id === id);
    if (!found) throw new ConnectError("There is no such update.", Code.NotFound);
    return found;
  };
  const decide = (id: string, status: UpdateStatus) => {
    const found = of(id);
    found.status = status;
    const readAt = equipment.find((each) => each.id === found.equipmentId)?.meterReadAt;
    const late = found.capturedAt && readAt && found.capturedAt.seconds < readAt.seconds;
    if (status === UpdateStatus.APPLIED && !late && found.newUsage !== undefined) {
      found.appliedUsage ??= found.newUsage;
    }
    return { update: found };
  };
  const many = (ids: readonly string[], status: UpdateStatus = UpdateStatus.APPLIED) => ({
    results: ids.map((id) => {
      if (options.refuse?.includes(id))
        return { id, ok: false, message: "Server's text.", code: "BEING_APPLIED" };
      decide(id, status);
      return { id, ok: true };
    }),
  });
  const transport = createRouterTransport(({ service }) => {
    service(BillingService, {
      getSubscription: () => ({
        subscription: { entitlements: { active: options.active ?? true } },
      }),
    });
    service(EquipmentService, {
      listEquipment: async ({ ids }) => {
        await options.gateEquipment?.(ids);
        const isRaised =
          options.meterAfter !== undefined &&
          updates.some(({ status }) => status === UpdateStatus.APPLIED);
        const changed = {
          ...(options.history && { lastUpdated: at("2026-11-21T18:00:00Z") }),
          ...(isRaised && { meterReading: options.meterAfter }),
        };
        return {
          equipment: equipment
            .filter(({ id }) => ids.includes(id))
            .map((each) => ({ ...each, ...changed })),
        };
      },
      listHistory: () => ({ records: options.history ?? [] }),
      listMeterSegments: ({ equipmentId }) => {
        calls.push(["segments", equipmentId]);
        return { segments: options.segments ?? [] };
      },
      getRetired: ({ equipmentId }) => {
        if (equipmentId !== options.retired) throw new ConnectError("none", Code.NotFound);
        return { retired: { id: "r1", originalEquipmentId: equipmentId, name: "Old truck" } };
      },
      restoreEquipment: ({ id }) => {
        calls.push(["restore", id]);
        if (options.failRestore) throw options.failRestore;
        return {};
      },
      listServiceTasks: () => ({ tasks: options.tasks ?? [] }),
      listMeters: () => ({
        meters: equipment.map(({ id, name, unit, fuel, meterReading, meterReadAt }) =>
          create(MeterSchema, {
            equipmentId: id,
            name,
            unit,
            fuel,
            meterReading,
            ...(meterReadAt && { meterReadAt }),
          }),
        ),
      }),
    });
    service(OperatorUpdatesService, {
      listReview: async ({ limit }) => {
        await options.gate?.();
        const waiting = updates.filter((each) => each.status === UpdateStatus.PENDING);
        return {
          updates: waiting.slice(0, options.answers ?? limit),
          pendingCount: waiting.length,
          flaggedCount: waiting.filter(isFlagged).length,
        };
      },
      listUpdates: ({ statuses, page, byDecision }) => {
        if (statuses.some((status) => options.failLists?.has(status))) {
          throw new ConnectError("down", Code.Unavailable);
        }
        const found = updates.filter((each) => statuses.includes(each.status));
        if (byDecision) found.sort((one, other) => decidedMs(other) - decidedMs(one));
        const from = Number(page?.cursor || 0);
        const end = from + (page?.limit || found.length);
        return {
          updates: found.slice(from, end),
          page: { nextCursor: found.length > end ? String(end) : "" },
          pendingCount: updates.filter((each) => each.status === UpdateStatus.PENDING).length,
        };
      },
      applyUpdate: async ({ id, newUsage, meterReplacement: meter, fuelAdded, fuelKind }) => {
        calls.push(["apply", id, newUsage ?? null]);
        await options.gateApply?.();
        if (meter) calls.push(["meter", meter.change, meter.finalReading, meter.startReading]);
        if (options.failApply) throw options.failApply;
        if (newUsage !== undefined) of(id).appliedReading = newUsage;
        if (fuelAdded !== undefined) {
          calls.push(["fuel", fuelAdded, fuelKind]);
          of(id).appliedFuel = fuelAdded;
          of(id).appliedFuelKind = fuelKind;
        }
        return decide(id, UpdateStatus.APPLIED);
      },
      applyUpdates: ({ ids }) => {
        calls.push(["applyMany", ...ids]);
        const answer = many(ids);
        if (options.answerLost) throw new ConnectError("late", Code.DeadlineExceeded);
        return answer;
      },
      moveUpdate: ({ id, equipmentId, wait }) => {
        calls.push([wait ? "moveBack" : "move", id, equipmentId]);
        const found = of(id);
        found.reportedEquipmentName = found.equipmentName;
        found.equipmentId = equipmentId;
        found.equipmentName = equipment.find((each) => each.id === equipmentId)?.name ?? "";
        return decide(id, wait || options.moveWaits ? UpdateStatus.PENDING : UpdateStatus.APPLIED);
      },
      rejectUpdate: ({ id, reason }) => {
        calls.push(["reject", id, reason]);
        return decide(id, UpdateStatus.REJECTED);
      },
      rejectUpdates: ({ ids, reason }) => {
        calls.push(["rejectMany", reason, ...ids]);
        if (options.failReject?.pop()) throw new ConnectError("down", Code.Unavailable);
        return many(ids, UpdateStatus.REJECTED);
      },
      undoDecision: ({ id, decision, reason }) => {
        calls.push(["takeBack", id, decision, reason]);
        return decide(id, UpdateStatus.TAKEN_BACK);
      },
      undoDecisions: ({ ids, decision }) => {
        calls.push(["undo", decision, ...ids]);
        const refuse = (code: string) => (id: string) => ({ id, ok: false, code });
        if (options.undoExpired) return { results: ids.map(refuse("UNDO_EXPIRED")) };
        const most = options.undoAtOnce ?? ids.length;
        const { results } = many(ids.slice(0, most), UpdateStatus.PENDING);
        return { results: [...results, ...ids.slice(most).map(refuse("UNDO_LATER"))] };
      },
      acknowledgeUpdate: ({ id }) => {
        calls.push(["acknowledge", id]);
        return decide(id, UpdateStatus.APPLIED);
      },
      acknowledgeUpdates: ({ ids }) => {
        calls.push(["acknowledgeMany", ...ids]);
        const answer = many(ids);
        if (options.answerLost) throw new ConnectError("late", Code.DeadlineExceeded);
        return answer;
      },
    });
  });
  await renderRouted(part, transport);
  return calls;
}
