import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import {
  EquipmentService,
  EquipmentType,
  OperationalStatus,
  ServiceStatus,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { TaskSetChangeKind, TaskSetService } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { owner, renderApp, stubRest } from "#/test/render-app";
import { openDialog } from "#/test/open-dialog";

async function open() {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const calls: unknown[] = [];
  const state = {
    refuse: "",
    lost: false,
    waitingFails: false,
    rejectFails: false,
    /** Delays the waiting updates. */
    gate: Promise.resolve(),
    done: false,
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
          { id: "e1", name: "Crane", moreTasks: 2, serviceStatus: ServiceStatus.OVERDUE },
          { id: "e2", name: "Truck", serviceStatus: ServiceStatus.GOOD },
        ],
        matching: 2,
      }),
      listServiceTasks: () => ({
        tasks: [
          { id: "t1", name: "Belts", status: ServiceStatus.GOOD },
          {
            id: "t2",
            fromForm: true,
            status: state.done ? ServiceStatus.GOOD : ServiceStatus.OVERDUE,
          },
          { id: "t3", name: "Oil", status: ServiceStatus.TIME_FOR_SERVICE },
        ],
      }),
      markServiced: ({ id, taskIds }, { requestHeader }) => {
        check(id);
        calls.push(["serviced", id, taskIds]);
        state.keys.push(requestHeader.get("Idempotency-Key"));
        state.done = true;
        if (state.lost) throw new ConnectError("late", Code.DeadlineExceeded);
        return {};
      },
      getEquipment: ({ id }) => ({
        equipment: {
          id,
          group: "Crew North",
          type: EquipmentType.TOOLS,
          operationalStatus: OperationalStatus.IN_USE,
        },
      }),
      updateEquipment: ({ id, equipment }) => {
        check(id);
        const { type, group, operationalStatus } = equipment ?? {};
        calls.push(["change", id, type ?? operationalStatus ?? group]);
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
          ],
        };
      },
      rejectUpdates: ({ ids }) => {
        calls.push(["reject", ...ids]);
        if (state.rejectFails) throw new ConnectError("Overloaded", Code.Unavailable);
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
  const { router } = await renderApp("/equipment-list", transport);
  fireEvent.click(await screen.findByRole("button", { name: "Select" }));
  return { calls, state, router };
}

it("keeps the selection on the way back from another page", async () => {
  const { router } = await open();
  fireEvent.click(await screen.findByRole("checkbox", { name: /Crane/ }));
  await router.navigate({ to: "/contact" });
  await screen.findByRole("heading", { level: 1, name: "Contact Support" });
  expect(screen.queryByRole("checkbox", { name: /Crane/ })).toBeNull();
  router.history.back();
  const crane = await screen.findByRole("checkbox", { name: /Crane/ });
  expect(crane).toHaveProperty("checked", true);
});

const choose = async (action: string) => {
  fireEvent.keyDown(await screen.findByRole("button", { name: "Actions" }), { key: "Enter" });
  fireEvent.click(await screen.findByRole("menuitem", { name: action }));
};
const undo = async () => {
  fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
  await screen.findByText("Change undone");
};
const dialog = openDialog;
const closed = () => waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

describe("actions for selected machines", () => {
  it("retire them, and list those that failed with the reason", async () => {
    const { calls, state } = await open();
    fireEvent.click(screen.getByLabelText("Select all 2 machines"));
    await screen.findByText("2 machines selected");
    state.refuse = "e2";
    await choose("Retire");
    const form = await dialog("Retire 2 machines?");
    await form.findAllByText("1 update waits for review.");
    fireEvent.change(form.getByLabelText(/notes/i), { target: { value: "Sold" } });
    fireEvent.click(form.getByRole("button", { name: "Retire 2 machines" }));
    await form.findByText("1 machine was not changed:");
    expect(form.getByRole("alert").textContent).toContain("Truck: This equipment is retired.");
    state.refuse = "";
    const again = form.getByRole("button", { name: "Try 1 machine again" });
    await waitFor(() => expect(again.hasAttribute("aria-disabled")).toBe(false));
    fireEvent.click(again);
    await closed();
    expect(calls).toEqual([
      ["retire", "e1", "Sold"],
      ["retire", "e2", "Sold"],
    ]);
    calls.length = 0;
    await undo();
    expect(calls).toEqual([
      ["restore", "retired-e1"],
      ["restore", "retired-e2"],
    ]);
  });

  it("change the operational status, and undo it", async () => {
    const { calls } = await open();
    fireEvent.click(screen.getByLabelText("Select Truck"));
    await choose("Change operational status");
    const form = await dialog("Change the operational status of 1 machine");
    fireEvent.change(form.getByLabelText("Operational Status"), { target: { value: "in_shop" } });
    fireEvent.click(form.getByRole("button", { name: "Change 1 machine" }));
    await closed();
    await undo();
    expect(calls).toEqual([
      ["change", "e2", OperationalStatus.IN_SHOP],
      ["change", "e2", OperationalStatus.IN_USE],
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

  it("send a service whose response was lost once more with the same tasks", async () => {
    const { calls, state } = await open();
    fireEvent.click(screen.getByLabelText("Select Crane"));
    await choose("Mark as Serviced");
    const form = await dialog("Mark 1 machine as serviced");
    state.lost = true;
    fireEvent.click(form.getByRole("button", { name: "Mark 1 machine as serviced" }));
    const again = await form.findByRole("button", { name: "Try 1 machine again" });
    state.lost = false;
    fireEvent.click(again);
    await closed();
    expect(calls).toEqual([
      ["serviced", "e1", ["t2", "t3"]],
      ["serviced", "e1", ["t2", "t3"]],
    ]);
    expect(new Set(state.keys).size).toBe(1);
  });

  it("name what is open before machines are retired, and may reject waiting updates", async () => {
    const { calls, state } = await open();
    state.waitingFails = true;
    fireEvent.click(screen.getByLabelText("Select all 2 machines"));
    await screen.findByText("2 machines selected");
    await choose("Retire");
    const form = await dialog("Retire 2 machines?");
    await form.findByText("Due tasks and waiting updates could not be loaded");
    state.waitingFails = false;
    fireEvent.click(form.getByRole("button", { name: "Try again" }));
    const [, truck] = await form.findAllByText("1 update waits for review.");
    expect(truck?.closest("li")?.textContent).toContain("Truck");
    const crane = form.getByText("2 tasks are due: Regular service, Oil.");
    expect(crane.closest("li")?.textContent).toContain("Crane");
    fireEvent.click(form.getByRole("checkbox", { name: /^Reject them/ }));
    fireEvent.click(form.getByRole("button", { name: "Retire 2 machines" }));
    await closed();
    expect(calls).toHaveLength(4);
    const order = calls.map((call) => JSON.stringify(call));
    for (const [update, machine] of [
      ["u3", "e1"],
      ["u1", "e2"],
    ]) {
      const rejected = order.indexOf(JSON.stringify(["reject", update]));
      expect(rejected).toBeGreaterThanOrEqual(0);
      expect(order.indexOf(JSON.stringify(["retire", machine, ""]))).toBeGreaterThan(rejected);
    }
  });

  it("do not retire a machine whose updates could not be rejected, nor reject those of others", async () => {
    const { calls, state } = await open();
    fireEvent.click(screen.getByLabelText("Select Truck"));
    await choose("Retire");
    const form = await dialog("Retire 1 machine?");
    fireEvent.click(await form.findByRole("checkbox", { name: /^Reject it/ }));
    state.rejectFails = true;
    fireEvent.click(form.getByRole("button", { name: "Retire 1 machine" }));
    await form.findByText("1 machine was not changed:");
    expect(calls).toEqual([["reject", "u1"]]);
  });

  it("wait for what is open before machines can be retired", async () => {
    const { calls, state } = await open();
    const release = Promise.withResolvers<void>();
    state.gate = release.promise;
    state.waitingFails = true;
    fireEvent.click(screen.getByLabelText("Select Truck"));
    await choose("Retire");
    const form = await dialog("Retire 1 machine?");
    const retire = form.getByRole("button", { name: "Retire 1 machine" });
    expect(retire.getAttribute("aria-disabled")).toBe("true");
    fireEvent.click(retire);
    release.resolve();
    await form.findByText("Due tasks and waiting updates could not be loaded");
    expect(calls).toEqual([]);
    // The person has seen that they are unknown.
    fireEvent.click(retire);
    await closed();
    expect(calls).toEqual([["retire", "e2", ""]]);
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
    await undo();
    expect(calls).toEqual([
      ["change", "e2", EquipmentType.VEHICLE],
      ["change", "e2", EquipmentType.TOOLS],
    ]);
    fireEvent.click(screen.getByRole("button", { name: "Done" }));
    expect(screen.queryByLabelText("Select Truck")).toBeNull();
  });

  it("set a group of the company, and remove it", async () => {
    const { calls } = await open();
    fireEvent.click(screen.getByLabelText("Select all 2 machines"));
    await screen.findByText("2 machines selected");
    await choose("Change group");
    const form = await dialog("Change the group of 2 machines");
    const group = form.getByRole<HTMLInputElement>("combobox", { name: /^Group/ });
    expect([...(group.list?.options ?? [])].map((option) => option.value)).toEqual([
      "Crew North",
      "Site 12",
    ]);
    fireEvent.change(group, { target: { value: " Site 12 " } });
    fireEvent.click(form.getByRole("button", { name: "Change 2 machines" }));
    await closed();
    await choose("Change group");
    const again = await dialog("Change the group of 2 machines");
    fireEvent.click(again.getByRole("button", { name: "Remove the group of 2 machines" }));
    await closed();
    expect(calls).toEqual([
      ["change", "e1", "Site 12"],
      ["change", "e2", "Site 12"],
      ["change", "e1", ""],
      ["change", "e2", ""],
    ]);
    calls.length = 0;
    await undo();
    expect(calls).toEqual([
      ["change", "e1", "Crew North"],
      ["change", "e2", "Crew North"],
    ]);
  });

  it("assign a task set after a preview", async () => {
    const { calls } = await open();
    fireEvent.click(screen.getByLabelText("Select all 2 machines"));
    await screen.findByText("2 machines selected");
    await choose("Assign a task set");
    const sets = await dialog("Choose a task set");
    fireEvent.click(await sets.findByRole("button", { name: /Cranes/ }));
    fireEvent.click(await screen.findByRole("button", { name: "Use on 2 machines" }));
    await closed();
    expect(calls).toEqual([["set", "e1", "e2"]]);
  });
});
