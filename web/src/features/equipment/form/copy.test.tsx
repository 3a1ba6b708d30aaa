import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it, onTestFinished, vi } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { BillingService } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import {
  EquipmentService,
  EquipmentType,
  MeterUnit,
  TaskBasis,
  CalendarUnit,
  type ServiceTaskInput,
  type ServiceTaskSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { TaskSetService } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { currentToast } from "#/shared/toast/store";
import { owner, renderApp, stubRest } from "#/test/render-app";

const oil = { id: "t1", name: "Oil", usageInterval: 100, lastDoneUsage: 850 };

type TaskInit = MessageInitShape<typeof ServiceTaskSchema>;

async function open(task: TaskInit = oil, rule: TaskInit = {}) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const calls: unknown[] = [];
  const state = {
    refuse: false,
    created: undefined as ServiceTaskInput | undefined,
    rule: undefined as ServiceTaskInput | undefined,
  };
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      getCompanySettings: () => ({ settings: { timeZone: "UTC" } }),
    });
    service(BillingService, { getSubscription: () => ({ subscription: {} }) });
    service(EquipmentService, {
      getSummary: () => ({
        total: 1,
        equipmentLimit: 15,
        groups: ["Crew North", "Site 12"],
      }),
      listEquipment: () => ({}),
      getEquipment: ({ id }) => ({
        equipment: {
          id,
          name: "Crane",
          unitNumber: "C-1",
          group: "Crew North",
          serialNumber: "SN1",
          type: EquipmentType.MACHINERY,
          unit: MeterUnit.HOURS,
          currentUsage: 900,
          meterReading: 900,
          alertThreshold: 20,
          serviceInterval: 250,
          lastServiceUsage: 800,
        },
      }),
      createEquipment: ({ equipment }) => {
        const { name, unitNumber, group, serviceInterval } = equipment ?? {};
        calls.push(["create", name, unitNumber, group, serviceInterval]);
        return {
          equipment: {
            id: "new",
            currentUsage: 620,
            meterReadAt: timestampFromDate(new Date()),
          },
        };
      },
      listServiceTasks: ({ equipmentId }) =>
        equipmentId === "new"
          ? { tasks: [{ id: "n0", fromForm: true, usageInterval: 250 }] }
          : {
              tasks: [{ id: "t0", fromForm: true, usageInterval: 250, ...rule }, task],
            },
      updateServiceTask: ({ equipmentId, taskId, task }) => {
        calls.push(["rule", equipmentId, taskId]);
        state.rule = task;
        return {};
      },
      createServiceTask: ({ equipmentId, task }) => {
        if (state.refuse) throw new ConnectError("No.", Code.Unavailable);
        calls.push(["task", equipmentId, task?.name, task?.usageInterval, task?.lastDoneUsage]);
        state.created = task;
        return {};
      },
    });
    service(TaskSetService, {
      previewTaskSet: () => ({ results: [{ taskSetId: "s1" }] }),
      applyTaskSet: ({ taskSetId, equipmentIds }) => {
        calls.push(["set", taskSetId, ...equipmentIds]);
        return {};
      },
    });
  });
  await renderApp("/add-equipment?copy=e1", transport);
  await screen.findByDisplayValue("Crane (copy)");
  return { calls, state };
}

it("a copy of a machine has numbers and a meter of its own, and the service tasks", async () => {
  const { calls } = await open();
  expect(screen.getByLabelText(/Serial/)).toHaveProperty("value", "");
  expect(screen.getByLabelText(/Current Usage/i)).toHaveProperty("value", "");
  const group = screen.getByRole<HTMLInputElement>("combobox", {
    name: /^Group/,
  });
  expect(group.value).toBe("Crew North");
  expect([...(group.list?.options ?? [])].map(({ value }) => value)).toEqual([
    "Crew North",
    "Site 12",
  ]);
  fireEvent.change(group, { target: { value: "Site 12" } });
  fireEvent.click(screen.getByRole("button", { name: "Add Equipment" }));
  await waitFor(() => expect(currentToast()?.tone).toBe("success"));
  expect(calls).toEqual([
    ["create", "Crane (copy)", "", "Site 12", 250],
    ["task", "new", "Oil", 100, undefined],
    ["set", "s1", "new"],
  ]);
});

it("a copied task on the mark keeps its points, and begins at the next ones", async () => {
  vi.useFakeTimers({ now: new Date("2026-03-10T12:00:00Z"), toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { state } = await open({
    ...oil,
    basis: TaskBasis.ON_THE_MARK,
    usageInterval: 250,
    firstDueUsage: 1100,
    calendarInterval: 1,
    calendarUnit: CalendarUnit.MONTHS,
    firstDueDate: "2020-01-31",
  });
  fireEvent.click(screen.getByRole("button", { name: "Add Equipment" }));
  await waitFor(() => expect(currentToast()?.tone).toBe("success"));
  expect(state.created).toMatchObject({
    firstDueUsage: 850,
    firstDueDate: "2020-01-31",
    lastDoneOn: "2026-02-28",
  });
});

it("a copied regular service keeps its rule", async () => {
  const { calls, state } = await open(oil, {
    basis: TaskBasis.ON_THE_MARK,
    firstDueUsage: 1100,
    warningUsage: 25,
  });
  fireEvent.click(screen.getByRole("button", { name: "Add Equipment" }));
  await waitFor(() => expect(currentToast()?.tone).toBe("success"));
  expect(calls.at(-1)).toEqual(["rule", "new", "n0"]);
  expect(state.rule).toMatchObject({
    basis: TaskBasis.ON_THE_MARK,
    firstDueUsage: 850,
    warningUsage: 25,
  });
  expect(state.rule?.usageInterval).toBeUndefined();
});

it("a copied task that counts from the last service begins with the new machine", async () => {
  const { state } = await open({
    ...oil,
    firstDueUsage: 1100,
    firstDueDate: "2020-01-31",
  });
  fireEvent.click(screen.getByRole("button", { name: "Add Equipment" }));
  await waitFor(() => expect(currentToast()?.tone).toBe("success"));
  expect(state.created?.firstDueUsage).toBeUndefined();
  expect(state.created?.firstDueDate).toBeUndefined();
});

it("a copy whose tasks fail exists, and a message says so", async () => {
  const { calls, state } = await open();
  state.refuse = true;
  fireEvent.click(screen.getByRole("button", { name: "Add Equipment" }));
  await waitFor(() =>
    expect(currentToast()?.description).toMatch(/Not all service tasks could be copied/),
  );
  expect(calls).toHaveLength(1);
});
