import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import {
  EquipmentType,
  OperationalStatus,
  ServiceStatus,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { catchDownloads } from "#/test/catch-downloads";
import { openDialog as dialog } from "#/test/open-dialog";
import { choose, closed, openBulk as open, undo } from "./bulk.fixture";

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

it("ends with Escape, except in a field or an open menu", async () => {
  await open();
  const crane = await screen.findByRole("checkbox", { name: /Crane/ });
  fireEvent.click(crane);
  fireEvent.keyDown(screen.getByRole("searchbox"), { key: "Escape" });
  fireEvent.keyDown(screen.getByRole("button", { name: "Actions" }), { key: "Enter" });
  fireEvent.keyDown(await screen.findByRole("menu"), { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  expect(crane.isConnected).toBe(true);
  fireEvent.keyDown(crane, { key: "Escape" });
  expect(screen.queryByRole("checkbox", { name: /Crane/ })).toBeNull();
});

it("counts the selected machines that the list does not show", async () => {
  const { router, state } = await open();
  fireEvent.click(screen.getByLabelText("Select all 2 machines"));
  await screen.findByText("2 machines selected");
  state.listed = ["e1"];
  await router.navigate({ to: "/equipment-list", search: { search: "crane" } });
  await screen.findByText("2 machines selected, 1 not shown in this list");
  await choose("Retire");
  const form = await dialog("Retire 2 machines?");
  expect(form.getByText("Crane, Truck")).toBeTruthy();
});

it("takes selected machines as they are listed now", async () => {
  const files = catchDownloads();
  const { router, state } = await open();
  fireEvent.click(screen.getByLabelText("Select Truck"));
  state.truck = "Dump truck";
  await router.navigate({ to: "/equipment-list", search: { search: "truck" } });
  await screen.findByLabelText("Select Dump truck");
  await choose("Export CSV");
  await waitFor(() => expect(files[0]?.text).toContain("Dump truck"));
});

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
    await form.findByRole("list", { name: "1 due" });
    fireEvent.click(form.getByRole("button", { name: "Mark 2 machines as serviced" }));
    await closed();
    expect(calls).toContainEqual(["serviced", "e1", ["t2", "t3"]]);
    expect(calls).toContainEqual(["serviced", "e2", []]);
  });

  it("end the selection when all machines were changed, not when they are cancelled", async () => {
    await open();
    fireEvent.click(screen.getByLabelText("Select all 2 machines"));
    await screen.findByText("2 machines selected");
    for (const cancelled of [true, false]) {
      await choose("Mark as Serviced");
      const form = await dialog("Mark 2 machines as serviced");
      await form.findByRole("list", { name: "1 due" });
      expect(screen.getByText("2 machines selected")).toBeTruthy();
      const name = cancelled ? "Cancel" : "Mark 2 machines as serviced";
      fireEvent.click(form.getByRole("button", { name }));
      await closed();
    }
    expect(screen.queryByText("2 machines selected")).toBeNull();
    expect(screen.getByLabelText("Select Crane")).toHaveProperty("checked", false);
  });

  it("list which services count as done, and may leave out machines that are not due", async () => {
    const { calls, state } = await open();
    const release = Promise.withResolvers<void>();
    state.gate = release.promise;
    fireEvent.click(screen.getByLabelText("Select all 2 machines"));
    await screen.findByText("2 machines selected");
    await choose("Mark as Serviced");
    const form = await dialog("Mark 2 machines as serviced");
    expect(form.getByRole("button", { name: /^Mark/ }).getAttribute("aria-disabled")).toBe("true");
    release.resolve();
    const due = await form.findByRole("list", { name: "1 due" });
    expect(due.textContent).toBe(
      "CraneRegular service: overdue by 12 hoursOil: service due at 4,800",
    );
    const notDue = form.getByRole("list", { name: "1 not due or snoozed" });
    expect(notDue.textContent).toBe("TruckRegular service: 12 hours until service");
    form.getByText("1 machine is not due, or its tasks are snoozed.");
    fireEvent.click(form.getByRole("button", { name: "Leave it out" }));
    form.getByText("1 machine that is not due or snoozed is left out.");
    expect(form.queryByRole("list", { name: "1 not due or snoozed" })).toBeNull();
    fireEvent.click(form.getByRole("button", { name: "Include it" }));
    fireEvent.click(form.getByRole("button", { name: "Leave it out" }));
    fireEvent.click(form.getByRole("button", { name: "Mark 1 machine as serviced" }));
    await closed();
    expect(calls).toEqual([["serviced", "e1", ["t2", "t3"]]]);
  });

  it("list the snoozed tasks, which do not count as done", async () => {
    const snooze = { untilDate: "2099-12-09", reason: "Tires ordered" };
    const { calls } = await open([{ id: "t4", name: "Tires", snooze }]);
    fireEvent.click(screen.getByLabelText("Select Crane"));
    await choose("Mark as Serviced");
    const form = await dialog("Mark 1 machine as serviced");
    const due = await form.findByRole("list", { name: "1 due" });
    expect(due.textContent).toContain("Tires: Snoozed until: Dec 9, 2099. Tires ordered");
    fireEvent.click(form.getByRole("button", { name: "Mark 1 machine as serviced" }));
    await closed();
    expect(calls).toEqual([["serviced", "e1", ["t2", "t3"]]]);
  });

  it("name a machine whose tasks could not be loaded, and service it with those that are due", async () => {
    const { calls, state } = await open();
    state.tasksFail = true;
    fireEvent.click(screen.getByLabelText("Select Crane"));
    await choose("Mark as Serviced");
    const form = await dialog("Mark 1 machine as serviced");
    const list = await form.findByRole("list", { name: "Tasks of 1 machine not loaded" });
    expect(list.textContent).toBe("Crane");
    state.tasksFail = false;
    fireEvent.click(form.getByRole("button", { name: "Mark 1 machine as serviced" }));
    await closed();
    expect(calls).toEqual([["serviced", "e1", ["t2", "t3"]]]);
  });

  it("snooze the tasks that are due, and undo it", async () => {
    const { calls } = await open();
    fireEvent.click(screen.getByLabelText("Select Crane"));
    await choose("Snooze");
    const form = await dialog("Snooze 1 machine");
    fireEvent.change(form.getByLabelText("Until"), { target: { value: "2099-01-05" } });
    fireEvent.change(form.getByLabelText("Reason"), { target: { value: " Parts ordered " } });
    fireEvent.click(form.getByRole("button", { name: "Snooze 1 machine" }));
    await closed();
    await undo();
    expect(calls).toEqual([
      ["snooze", "t2", "2099-01-05", "Parts ordered"],
      ["snooze", "t3", "2099-01-05", "Parts ordered"],
      ["wake", "t2"],
      ["wake", "t3"],
    ]);
  });

  it("keep a snooze that exists, and snooze only what is due", async () => {
    const { calls, state } = await open();
    fireEvent.click(screen.getByLabelText("Select Crane"));
    await choose("Snooze");
    const form = await dialog("Snooze 1 machine");
    fireEvent.change(form.getByLabelText("Reason"), { target: { value: "Parts" } });
    state.tasks = [{ id: "t1", fromForm: true, status: ServiceStatus.GOOD }];
    fireEvent.click(form.getByRole("button", { name: "Snooze 1 machine" }));
    await form.findByText(/No task of this machine is due/);
    state.tasks = [{ id: "t1", fromForm: true, status: ServiceStatus.GOOD, snooze: {} }];
    fireEvent.click(form.getByRole("button", { name: "Try 1 machine again" }));
    await form.findByText(/Already snoozed, and no other task of this machine is due/);
    expect(calls).toEqual([]);
  });

  it("export them", async () => {
    const files = catchDownloads();
    await open();
    fireEvent.click(screen.getByLabelText("Select Truck"));
    await choose("Export CSV");
    await waitFor(() => expect(files[0]?.text).toContain("Truck"));
    expect(files[0]?.text).not.toContain("Crane");
  });

  it("send a service whose response was lost once more with the same tasks", async () => {
    const { calls, state } = await open();
    fireEvent.click(screen.getByLabelText("Select Crane"));
    await choose("Mark as Serviced");
    const form = await dialog("Mark 1 machine as serviced");
    state.lost = true;
    await form.findByRole("list", { name: "1 due" });
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
    fireEvent.click(screen.getByLabelText("Select all 2 machines"));
    await screen.findByText("2 machines selected");
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
      ["change", "e1", "Site 12"],
      ["change", "e2", "Site 12"],
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
