import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import {
  EquipmentService,
  EquipmentType,
  ServiceStatus,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { TaskSetChangeKind, TaskSetService } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { owner, renderApp, stubRest } from "#/test/render-app";

async function open() {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const calls: unknown[] = [];
  const state = { refuse: "" };
  const check = (id: string) => {
    if (state.refuse === id) throw new ConnectError("This equipment is retired.", Code.NotFound);
  };
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, { getCompanySettings: () => ({}) });
    service(EquipmentService, {
      getSummary: () => ({ total: 2, equipmentLimit: 30 }),
      listEquipment: () => ({
        equipment: [
          { id: "e1", name: "Crane", moreTasks: 2 },
          { id: "e2", name: "Truck" },
        ],
        matching: 2,
      }),
      listServiceTasks: () => ({
        tasks: [
          { id: "t1", status: ServiceStatus.GOOD },
          { id: "t2", status: ServiceStatus.OVERDUE },
          { id: "t3", status: ServiceStatus.TIME_FOR_SERVICE },
        ],
      }),
      markServiced: ({ id, taskIds }) => {
        check(id);
        calls.push(["serviced", id, taskIds]);
        return {};
      },
      updateEquipment: ({ id, equipment }) => {
        check(id);
        calls.push(["type", id, equipment?.type]);
        return {};
      },
      retireEquipment: ({ id, retirementNotes }) => {
        check(id);
        calls.push(["retire", id, retirementNotes]);
        return {};
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
  await renderApp("/equipment-list", transport);
  fireEvent.click(await screen.findByRole("button", { name: "Select" }));
  return { calls, state };
}

const choose = async (action: string) => {
  fireEvent.keyDown(await screen.findByRole("button", { name: "Actions" }), { key: "Enter" });
  fireEvent.click(await screen.findByRole("menuitem", { name: action }));
};
const dialog = async (name: string) => within(await screen.findByRole("dialog", { name }));
const closed = () => waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

describe("actions for selected machines", () => {
  it("retire them, and list those that failed with the reason", async () => {
    const { calls, state } = await open();
    fireEvent.click(screen.getByLabelText("Select all 2 machines"));
    await screen.findByText("2 machines selected");
    state.refuse = "e2";
    await choose("Retire");
    const form = await dialog("Retire 2 machines?");
    fireEvent.change(form.getByLabelText(/notes/i), { target: { value: "Sold" } });
    fireEvent.click(form.getByRole("button", { name: "Retire 2 machines" }));
    await form.findByText("1 machine was not changed:");
    expect(form.getByText("Truck").closest("li")?.textContent).toContain(
      "This equipment is retired.",
    );
    state.refuse = "";
    fireEvent.click(form.getByRole("button", { name: "Try 1 machine again" }));
    await closed();
    expect(calls).toEqual([
      ["retire", "e1", "Sold"],
      ["retire", "e2", "Sold"],
    ]);
  });

  it("mark the tasks that are due as done", async () => {
    const { calls } = await open();
    fireEvent.click(screen.getByLabelText("Select Crane"));
    fireEvent.click(screen.getByLabelText("Select Truck"));
    await choose("Mark as Serviced");
    const form = await dialog("Mark 2 machines as serviced");
    fireEvent.click(form.getByRole("button", { name: "Mark 2 machines as serviced" }));
    await closed();
    expect(calls).toContainEqual(["serviced", "e1", ["t2", "t3"]]);
    expect(calls).toContainEqual(["serviced", "e2", []]);
  });

  it("change the type, and end with Done", async () => {
    const { calls } = await open();
    expect(screen.getByRole("button", { name: "Actions" }).getAttribute("aria-disabled")).toBe(
      "true",
    );
    fireEvent.click(screen.getByLabelText("Select Truck"));
    await choose("Change type");
    const form = await dialog("Change the type of 1 machine");
    fireEvent.change(form.getByLabelText("Type"), { target: { value: "vehicle" } });
    fireEvent.click(form.getByRole("button", { name: "Change 1 machine" }));
    await closed();
    expect(calls).toEqual([["type", "e2", EquipmentType.VEHICLE]]);
    fireEvent.click(screen.getByRole("button", { name: "Done" }));
    expect(screen.queryByLabelText("Select Truck")).toBeNull();
  });

  it("assign a task set after a preview", async () => {
    const { calls } = await open();
    fireEvent.click(screen.getByLabelText("Select all 2 machines"));
    await screen.findByText("2 machines selected");
    await choose("Assign a task set");
    const sets = await dialog("Choose a task set");
    fireEvent.click(await sets.findByRole("button", { name: /Cranes/ }));
    fireEvent.click(await screen.findByRole("button", { name: "Change 2 machines" }));
    await closed();
    expect(calls).toEqual([["set", "e1", "e2"]]);
  });
});
