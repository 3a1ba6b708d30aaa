import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import {
  EquipmentService,
  EquipmentType,
  MeterUnit,
  OperationalStatus,
  ServiceStatus,
  type SnoozedTaskSchema,
  type ServiceTaskSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { TaskSetChangeKind, TaskSetService } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { owner, renderApp, stubRest } from "#/test/render-app";

/** Opens the list for selection; `snoozed`: tasks of e1. Returns the calls and what the services do. */
export async function openBulk(snoozed: MessageInitShape<typeof SnoozedTaskSchema>[] = []) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const calls: unknown[] = [];
  const state = {
    refuse: "",
    lost: false,
    endsSnooze: false,
    /** The changed groups, by machine. */
    groups: new Map<string, string>(),
    waitingFails: false,
    rejectFails: false,
    rejected: new Array<string>(),
    /** The name of e2. */
    truck: "Truck",
    /** Delays the tasks and the waiting updates. */
    gate: Promise.resolve(),
    done: false,
    /** The tasks of each machine; null: two are due. */
    tasks: null as MessageInitShape<typeof ServiceTaskSchema>[] | null,
    tasksFail: false,
    /** The machine and task that cannot be snoozed. */
    refuseTask: "",
    /** The machines in the list, whatever the filter. */
    listed: ["e1", "e2"],
    keys: new Array<string | null>(),
  };
  const check = (id: string) => {
    if (state.refuse === id) throw new ConnectError("This equipment is retired.", Code.NotFound);
  };
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, { getCompanySettings: () => ({}) });
    service(EquipmentService, {
      getSummary: () => ({ total: 2, equipmentLimit: 30, groups: ["Crew North", "Site 12"] }),
      listEquipment: () => ({
        equipment: [
          {
            id: "e1",
            name: "Crane",
            moreTasks: 2,
            serviceStatus: ServiceStatus.OVERDUE,
            unit: MeterUnit.HOURS,
            currentUsage: 4800,
            meterReading: 4800,
            snoozedTasks: snoozed,
          },
          {
            id: "e2",
            name: state.truck,
            serviceStatus: ServiceStatus.APPROACHING_SERVICE,
            unit: MeterUnit.HOURS,
            serviceInterval: 250,
            usagePercent: 95.2,
            nextServiceDueUsage: 250,
            remainingUsage: 12,
          },
        ].filter(({ id }) => state.listed.includes(id)),
        matching: state.listed.length,
      }),
      listServiceTasks: async () => {
        await state.gate;
        if (state.tasksFail) throw new ConnectError("Overloaded", Code.Unavailable);
        return {
          tasks: state.tasks ?? [
            { id: "t1", name: "Belts", status: ServiceStatus.GOOD },
            {
              id: "t2",
              fromForm: true,
              status: state.done ? ServiceStatus.GOOD : ServiceStatus.OVERDUE,
              usageInterval: 100,
              usagePercent: 112,
              nextDueUsage: 4788,
            },
            {
              id: "t3",
              name: "Oil",
              status: ServiceStatus.TIME_FOR_SERVICE,
              usageInterval: 100,
              usagePercent: 100,
              nextDueUsage: 4800,
            },
          ],
        };
      },
      markServiced: ({ id, taskIds }, { requestHeader }) => {
        check(id);
        calls.push(["serviced", id, taskIds]);
        state.keys.push(requestHeader.get("Idempotency-Key"));
        state.done = true;
        if (state.lost) throw new ConnectError("late", Code.DeadlineExceeded);
        return { entryIds: state.endsSnooze ? [] : [`${id} first`, `${id} second`] };
      },
      voidEntry: ({ equipmentId, entryId, reason }) => {
        calls.push(["void", equipmentId, entryId, reason]);
        return {};
      },
      snoozeServiceTask: ({ equipmentId, taskId, untilDate, reason }) => {
        if (state.refuseTask === `${equipmentId} ${taskId}`)
          throw new ConnectError("Overloaded", Code.Unavailable);
        calls.push(["snooze", taskId, untilDate, reason]);
        return {};
      },
      wakeServiceTask: ({ taskId }) => {
        calls.push(["wake", taskId]);
        return {};
      },
      getEquipment: ({ id }) => ({
        equipment: {
          id,
          group: state.groups.get(id) ?? "Crew North",
          type: EquipmentType.TOOLS,
          operationalStatus: OperationalStatus.IN_USE,
        },
      }),
      updateEquipment: ({ id, equipment }) => {
        check(id);
        const { type, group, operationalStatus } = equipment ?? {};
        calls.push(["change", id, type ?? operationalStatus ?? group]);
        if (group !== undefined) state.groups.set(id, group);
        if (state.lost) throw new ConnectError("late", Code.DeadlineExceeded);
        return {};
      },
      restoreEquipment: ({ id }) => {
        calls.push(["restore", id]);
        return {};
      },
      retireEquipment: ({ id, retirementNotes }) => {
        check(id);
        calls.push(["retire", id, retirementNotes]);
        return { retired: { id: `retired-${id}` } };
      },
    });
    service(OperatorUpdatesService, {
      listUpdates: async () => {
        await state.gate;
        if (state.waitingFails) throw new ConnectError("Overloaded", Code.Unavailable);
        return {
          updates: [
            { id: "u1", equipmentId: "e2" },
            { id: "u3", equipmentId: "e1" },
            { id: "u2", equipmentId: "other" },
          ].filter(({ id }) => !state.rejected.includes(id)),
        };
      },
      rejectUpdates: ({ ids }) => {
        calls.push(["reject", ...ids]);
        if (state.rejectFails) throw new ConnectError("Overloaded", Code.Unavailable);
        state.rejected.push(...ids);
        return { results: ids.map((id) => ({ id, ok: true })) };
      },
      undoDecisions: ({ ids }) => {
        calls.push(["undo", ...ids]);
        return { results: ids.map((id) => ({ id, ok: true })) };
      },
    });
    service(TaskSetService, {
      listTaskSets: () => ({ taskSets: [{ id: "s1", name: "Cranes", items: [{ name: "Oil" }] }] }),
      previewTaskSet: ({ equipmentIds }) => ({
        results: equipmentIds.map((equipmentId) => ({
          equipmentId,
          ok: true,
          changes: [{ kind: TaskSetChangeKind.ADDED, after: { name: "Oil", usageInterval: 5 } }],
        })),
      }),
      applyTaskSet: ({ equipmentIds }) => {
        calls.push(["set", ...equipmentIds]);
        return {};
      },
    });
  });
  const { router } = await renderApp("/equipment-list", transport);
  fireEvent.click(await screen.findByRole("button", { name: "Select" }));
  return { calls, state, router };
}

export const choose = async (action: string) => {
  fireEvent.keyDown(await screen.findByRole("button", { name: "Actions" }), { key: "Enter" });
  fireEvent.click(await screen.findByRole("menuitem", { name: action }));
};
export const undo = async () => {
  fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
  await screen.findByText("Change undone");
};
export const closed = () => waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
