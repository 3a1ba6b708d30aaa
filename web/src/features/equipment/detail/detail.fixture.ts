import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport, type Transport } from "@connectrpc/connect";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { BillingService } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import {
  EquipmentFuel,
  EquipmentSchema,
  EquipmentService,
  EquipmentType,
  HistoryKind,
  HistoryRecordSchema,
  MeterUnit,
  ServiceStatus,
  VoidingSchema,
  type Equipment,
  type HistoryRecord,
  type ListHistoryRequest,
  type PreviewVoidResponseSchema,
  type MeterSegmentSchema,
  type MonthFuelUseSchema,
  type ServiceTaskSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  OperatorUpdatesService,
  type OperatorUpdateSchema,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import {
  TaskSetService,
  type TaskSetResultSchema,
} from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import {
  SettingsService,
  type WatchSchema,
} from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import { refusal } from "#/test/refusal";
import { owner, renderApp, stubRest } from "#/test/render-app";

export const id = "71aa02f4-1111-4222-8333-444455556666";

/** A person without entries. */
export const idle = "0f8fad5b-d9cb-469f-a165-70867728950e";

export const day = (date: string) => timestampFromDate(new Date(`${date}T12:00:00`));

export function excavator(more: MessageInitShape<typeof EquipmentSchema> = {}): Equipment {
  return create(EquipmentSchema, {
    id,
    name: "Excavator",
    type: EquipmentType.MACHINERY,
    serialNumber: "CAT0320",
    group: "Crew North",
    unit: MeterUnit.HOURS,
    fuel: EquipmentFuel.DIESEL,
    currentUsage: 4812.5,
    // With the first meter, the dial is equal.
    meterReading: more.currentUsage ?? 4812.5,
    serviceInterval: 250,
    lastServiceUsage: 4500,
    usagePercent: 125,
    nextServiceDueUsage: 4750,
    remainingUsage: 0,
    serviceStatus: ServiceStatus.OVERDUE,
    totalFuelUsed: 62.5,
    totalGasUsed: 20,
    totalDieselUsed: 42.5,
    lastUpdated: day("2026-11-20"),
    ...more,
  });
}

export function record(more: MessageInitShape<typeof HistoryRecordSchema>): HistoryRecord {
  return create(HistoryRecordSchema, {
    id: "r1",
    equipmentId: id,
    equipmentName: "Excavator",
    kind: HistoryKind.USAGE,
    operatorName: "Maria López",
    unit: MeterUnit.HOURS,
    createdAt: day("2026-11-20"),
    ...more,
  });
}

const notFound = () => new ConnectError("Not found", Code.NotFound);

export interface World {
  equipment: Equipment | null;
  retired: boolean;
  archiveSearches: number;
  records: HistoryRecord[];
  notes: Array<{ id: string; content: string; authorName: string }>;
  tasks: Array<MessageInitShape<typeof ServiceTaskSchema>>;
  firstReading?: { usage: number; at: Timestamp };
  tasksFail: boolean;
  /** The machine after an entry was voided. */
  voided: Equipment;
  /** Updates that wait for review. */
  waiting: Array<MessageInitShape<typeof OperatorUpdateSchema>>;
  waitingFails: boolean;
  /** Ids of updates that someone else has decided. */
  decided: string[];
  /** Waiting updates are listed after it. */
  gate: Promise<void>;
  /** Responses with the machine wait for it. */
  loaded: Promise<void>;
  /** The task sets of the machine. */
  sets: Array<MessageInitShape<typeof TaskSetResultSchema>>;
  /** The meters it has had, newest first. */
  segments: Array<MessageInitShape<typeof MeterSegmentSchema>>;
  /** What a void would change; null: it can't be loaded. */
  preview: MessageInitShape<typeof PreviewVoidResponseSchema> | null;
  /** Called with the idempotency key of each request. */
  onReplace: (key: string | null) => void;
  /** The company's; undefined: not loaded, so the device's. */
  timeZone: string | undefined;
  analytics: boolean;
  /** What the person has chosen to watch; null: all machines, undefined: it can't be loaded. */
  watch: MessageInitShape<typeof WatchSchema> | null | undefined;
  watchAsked: number;
  subscriptionFails: boolean;
  peopleFail: boolean;
  fuelMonths: Array<MessageInitShape<typeof MonthFuelUseSchema>>;
  onHistory: (request: ListHistoryRequest) => void;
  /** Thrown by every write. */
  refusal: ConnectError | null;
  calls: Array<[string, object]>;
}

export function world(more: Partial<World> = {}): World {
  return {
    equipment: excavator(),
    retired: false,
    archiveSearches: 0,
    records: [],
    notes: [],
    tasks: [],
    tasksFail: false,
    voided: excavator({ currentUsage: 4790 }),
    waiting: [],
    waitingFails: false,
    decided: [],
    gate: Promise.resolve(),
    loaded: Promise.resolve(),
    sets: [],
    segments: [],
    preview: { currentUsage: 4812.5, meterReading: 4812.5 },
    onReplace: () => undefined,
    timeZone: undefined,
    analytics: false,
    watch: null,
    watchAsked: 0,
    subscriptionFails: false,
    peopleFail: false,
    fuelMonths: [{ month: "2026-10", gas: 40, diesel: 60 }],
    onHistory: () => undefined,
    refusal: null,
    calls: [],
    ...more,
  };
}

function resultsOf(ids: readonly string[], decided: readonly string[]) {
  return ids.map((update) => ({ id: update, ok: !decided.includes(update) }));
}

/** The services that this page calls, with data that a test may change. */
function transportOf(state: World): Transport {
  const write = (name: string, request: { $typeName: string }) => {
    const { $typeName: _, ...fields } = request;
    state.calls.push([name, fields]);
    if (state.refusal) throw state.refusal;
  };
  const present = () => {
    if (!state.equipment)
      throw state.retired ? refusal(Code.NotFound, "EQUIPMENT_RETIRED") : notFound();
    return { equipment: state.equipment };
  };
  return createRouterTransport(({ service }) => {
    service(EquipmentService, {
      getEquipment: async () => {
        await state.loaded;
        return present();
      },
      getRetired: () => {
        state.archiveSearches += 1;
        if (!state.retired) throw notFound();
        return {
          retired: {
            id: "a1",
            originalEquipmentId: id,
            name: "Excavator",
            type: EquipmentType.MACHINERY,
            unit: MeterUnit.HOURS,
            finalUsage: 9120.4,
            retirementNotes: "Sold to Garza.",
            retiredBy: "Ana Ruiz",
            retiredAt: day("2026-11-08"),
          },
        };
      },
      updateEquipment: async (request) => {
        await state.gate;
        write("update", request);
        const { operationalStatus } = request.equipment ?? {};
        if (state.equipment && operationalStatus !== undefined) {
          state.equipment = { ...state.equipment, operationalStatus };
        }
        return present();
      },
      restoreEquipment: (request) => {
        write("restore", request);
        state.equipment = excavator();
        return present();
      },
      listHistory: (request) => {
        state.onHistory(request);
        const { kinds, fuelOnly, page, personId } = request;
        const found = state.records.filter(
          (row) =>
            (kinds.length === 0 || kinds.includes(row.kind)) &&
            (!fuelOnly || row.fuelAdded > 0) &&
            personId !== idle,
        );
        const from = Number(page?.cursor || 0);
        const end = from + (page?.limit || 500);
        const nextCursor = found.length > end ? String(end) : "";
        return { records: found.slice(from, end), page: { nextCursor } };
      },
      previewVoid: () => {
        if (state.preview === null) throw new ConnectError("Down", Code.Unavailable);
        return state.preview;
      },
      voidEntry: (request) => {
        write("void", request);
        const voiding = create(VoidingSchema, {
          by: "Ana Ruiz",
          reason: request.reason,
          at: day("2026-11-21"),
        });
        state.records = state.records.map((row) =>
          row.id === request.entryId ? { ...row, voiding } : row,
        );
        return { equipment: state.voided };
      },
      editService: (request) => {
        write("edit", request);
        return present();
      },
      listNotes: () => ({ notes: state.notes }),
      addNote: (request) => {
        write("note", request);
        return { note: { id: "note", equipmentId: request.equipmentId } };
      },
      listServiceTasks: () => {
        if (state.tasksFail) throw new ConnectError("Not available.", Code.Unavailable);
        return {
          tasks: state.tasks,
          ...(state.firstReading && {
            firstUsage: state.firstReading.usage,
            firstReadAt: state.firstReading.at,
          }),
        };
      },
      createServiceTask: (request) => {
        write("createTask", request);
        return {};
      },
      updateServiceTask: (request) => {
        write("updateTask", request);
        return {};
      },
      deleteServiceTask: (request) => {
        write("deleteTask", request);
        return {};
      },
      completeServiceTask: (request) => {
        write("complete", request);
        return {};
      },
      snoozeServiceTask: (request) => {
        write("snooze", request);
        const { untilDate, reason } = request;
        return { task: { snooze: { untilDate, reason } } };
      },
      wakeServiceTask: (request) => {
        write("wake", request);
        return {};
      },
      listMeterSegments: () => ({ segments: state.segments }),
      replaceMeter: (request, context) => {
        state.onReplace(context.requestHeader.get("Idempotency-Key"));
        write("replaceMeter", request);
        const life = excavator({ currentUsage: 4824.5, meterReading: request.reading ?? 0 });
        state.equipment = life;
        return { equipment: life };
      },
      markServiced: (request) => {
        write("serviced", request);
        return present();
      },
      recordUsage: (request) => {
        write("usage", request);
        return present();
      },
      retireEquipment: (request) => {
        write("retire", request);
        state.equipment = null;
        return { retired: { id: "a1" } };
      },
      deleteEquipment: (request) => {
        write("delete", request);
        state.equipment = null;
        return {};
      },
      getFuelSummary: () => ({
        total: 100,
        gas: 40,
        diesel: 60,
        byEquipment: [
          {
            equipmentId: id,
            total: 100,
            unit: MeterUnit.HOURS,
            consumption: {
              fuel: 34.2,
              usage: 10,
              fills: 6,
              excluded: 1,
              unusualEntryIds: ["unusual"],
            },
          },
        ],
        byMonth: state.fuelMonths,
      }),
    });
    service(OperatorUpdatesService, {
      listUpdates: async () => {
        await state.gate;
        if (state.waitingFails) throw new ConnectError("Overloaded", Code.Unavailable);
        return { updates: state.waiting };
      },
      rejectUpdates: (request) => {
        write("reject", request);
        return { results: resultsOf(request.ids, state.decided) };
      },
      undoDecisions: (request) => {
        write("undo", request);
        return { results: resultsOf(request.ids, state.decided) };
      },
    });
    service(TaskSetService, {
      previewTaskSet: () => ({ results: state.sets }),
      applyTaskSet: (request) => {
        write("applySet", request);
        return {};
      },
    });
    service(SettingsService, {
      getWatch: () => {
        state.watchAsked += 1;
        if (state.watch === undefined) throw new ConnectError("Overloaded", Code.Unavailable);
        return state.watch ? { watch: state.watch } : {};
      },
      setWatch: (request) => {
        write("watch", request);
        state.watch = request.watch;
        return {};
      },
    });
    service(BillingService, {
      getSubscription: () => {
        if (state.subscriptionFails) throw new ConnectError("Overloaded", Code.Unavailable);
        return { subscription: { entitlements: { active: true, fuelAnalytics: state.analytics } } };
      },
    });
    service(AccountsService, {
      getCompanySettings: () => (state.timeZone ? { settings: { timeZone: state.timeZone } } : {}),
      listEmployees: () => {
        if (state.peopleFail) throw new ConnectError("Overloaded", Code.Unavailable);
        return { employees: [{ id: idle, firstName: "Luis", lastName: "Ortega" }] };
      },
    });
  });
}

/** The page at its address, for a signed-in owner. */
export async function openDetail(state: World, search = "") {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  return renderApp(`/equipment/item/${id}${search}`, transportOf(state));
}
