import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { BillingService } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import {
  EquipmentService,
  EquipmentType,
  MeterUnit,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { TaskSetService } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { currentToast } from "#/shared/toast/store";
import { owner, renderApp, stubRest } from "#/test/render-app";

async function open() {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const calls: unknown[] = [];
  const state = { refuse: false };
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, { getCompanySettings: () => ({ settings: { timeZone: "UTC" } }) });
    service(BillingService, { getSubscription: () => ({ subscription: {} }) });
    service(EquipmentService, {
      getSummary: () => ({ total: 1, equipmentLimit: 15 }),
      listEquipment: () => ({}),
      getEquipment: ({ id }) => ({
        equipment: {
          id,
          name: "Crane",
          unitNumber: "C-1",
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
        calls.push(["create", equipment?.name, equipment?.unitNumber, equipment?.serviceInterval]);
        return { equipment: { id: "new" } };
      },
      listServiceTasks: () => ({
        tasks: [
          { id: "t0", fromForm: true, usageInterval: 250 },
          { id: "t1", name: "Oil", usageInterval: 100, lastDoneUsage: 850 },
        ],
      }),
      createServiceTask: ({ equipmentId, task }) => {
        if (state.refuse) throw new ConnectError("No.", Code.Unavailable);
        calls.push(["task", equipmentId, task?.name, task?.usageInterval, task?.lastDoneUsage]);
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
  fireEvent.click(screen.getByRole("button", { name: "Add Equipment" }));
  await waitFor(() => expect(currentToast()?.tone).toBe("success"));
  expect(calls).toEqual([
    ["create", "Crane (copy)", "", 250],
    ["task", "new", "Oil", 100, undefined],
    ["set", "s1", "new"],
  ]);
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
