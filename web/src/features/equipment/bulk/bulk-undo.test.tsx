import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { EquipmentType } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentToast } from "#/shared/toast/store";
import { openDialog as dialog } from "#/test/open-dialog";
import { choose, closed, openBulk as open, undo } from "./bulk.fixture";

describe("the undo of actions for selected machines", () => {
  it("returns updates to review that were rejected before a machine could be retired", async () => {
    const { calls, state } = await open();
    fireEvent.click(screen.getByLabelText("Select Truck"));
    await choose("Retire");
    const form = await dialog("Retire 1 machine?");
    fireEvent.click(await form.findByRole("checkbox", { name: /^Reject it/ }));
    state.refuse = "e2";
    fireEvent.click(form.getByRole("button", { name: "Retire 1 machine" }));
    const again = await form.findByRole("button", { name: "Try 1 machine again" });
    state.refuse = "";
    await waitFor(() => expect(form.queryByText("1 update waits for review.")).toBeNull());
    fireEvent.click(again);
    await closed();
    await undo();
    expect(calls).toEqual([
      ["reject", "u1"],
      ["retire", "e2", ""],
      ["restore", "retired-e2"],
      ["undo", "u1"],
    ]);
  });

  it("voids the entries of a service, the last one first", async () => {
    const { calls } = await open();
    fireEvent.click(screen.getByLabelText("Select Truck"));
    await choose("Mark as Serviced");
    const form = await dialog("Mark 1 machine as serviced");
    fireEvent.click(form.getByRole("button", { name: "Mark 1 machine as serviced" }));
    await closed();
    await undo();
    const reason = "Undone by its author";
    expect(calls.slice(1)).toEqual([
      ["void", "e2", "e2 second", reason],
      ["void", "e2", "e2 first", reason],
    ]);
  });

  it("is not offered for a service that ended a snooze", async () => {
    const { state } = await open();
    state.endsSnooze = true;
    fireEvent.click(screen.getByLabelText("Select Truck"));
    await choose("Mark as Serviced");
    const form = await dialog("Mark 1 machine as serviced");
    fireEvent.click(form.getByRole("button", { name: "Mark 1 machine as serviced" }));
    await closed();
    expect(currentToast()).toMatchObject({ tone: "success", action: undefined });
  });

  it("restores the group from before a change whose response was lost", async () => {
    const { calls, state } = await open();
    fireEvent.click(screen.getByLabelText("Select Truck"));
    await choose("Change group");
    const form = await dialog("Change the group of 1 machine");
    fireEvent.change(form.getByRole("combobox", { name: /^Group/ }), {
      target: { value: "Site 12" },
    });
    state.lost = true;
    fireEvent.click(form.getByRole("button", { name: "Change 1 machine" }));
    const again = await form.findByRole("button", { name: "Try 1 machine again" });
    state.lost = false;
    fireEvent.click(again);
    await closed();
    await undo();
    expect(calls).toEqual([
      ["change", "e2", "Site 12"],
      ["change", "e2", "Site 12"],
      ["change", "e2", "Crew North"],
    ]);
  });

  it("ends the snoozes of all attempts, and a repeat snoozes only what is left", async () => {
    const { calls, state } = await open();
    fireEvent.click(screen.getByLabelText("Select Crane"));
    await choose("Snooze");
    const form = await dialog("Snooze 1 machine");
    fireEvent.change(form.getByLabelText("Until"), { target: { value: "2099-01-05" } });
    fireEvent.change(form.getByLabelText("Reason"), { target: { value: "Parts" } });
    state.refuseTask = "e1 t3";
    fireEvent.click(form.getByRole("button", { name: "Snooze 1 machine" }));
    const again = await form.findByRole("button", { name: "Try 1 machine again" });
    state.refuseTask = "";
    fireEvent.click(again);
    await closed();
    await undo();
    expect(calls).toEqual([
      ["snooze", "t2", "2099-01-05", "Parts"],
      ["snooze", "t3", "2099-01-05", "Parts"],
      ["wake", "t2"],
      ["wake", "t3"],
    ]);
  });

  it("ends the snoozes of a machine whose next task failed", async () => {
    const { calls, state } = await open();
    fireEvent.click(screen.getByLabelText("Select all 2 machines"));
    await screen.findByText("2 machines selected");
    await choose("Snooze");
    const form = await dialog("Snooze 2 machines");
    fireEvent.change(form.getByLabelText("Reason"), { target: { value: "Parts" } });
    state.refuseTask = "e2 t3";
    fireEvent.click(form.getByRole("button", { name: "Snooze 2 machines" }));
    await form.findByRole("button", { name: "Try 1 machine again" });
    calls.length = 0;
    // The open dialog hides the toast from assistive technology only.
    fireEvent.click(await screen.findByRole("button", { name: "Undo", hidden: true }));
    await screen.findByText("Change undone");
    expect(calls.toSorted()).toEqual([
      ["wake", "t2"],
      ["wake", "t2"],
      ["wake", "t3"],
    ]);
  });

  it("undoes each change once, although others are tried again", async () => {
    const { calls, state } = await open();
    fireEvent.click(screen.getByLabelText("Select all 2 machines"));
    await screen.findByText("2 machines selected");
    state.refuse = "e2";
    await choose("Change type");
    const form = await dialog("Change the type of 2 machines");
    fireEvent.change(form.getByLabelText("Type"), { target: { value: "vehicle" } });
    fireEvent.click(form.getByRole("button", { name: "Change 2 machines" }));
    const again = await form.findByRole("button", { name: "Try 1 machine again" });
    // The open dialog hides the toast from assistive technology only.
    fireEvent.click(await screen.findByRole("button", { name: "Undo", hidden: true }));
    await screen.findByText("Change undone");
    state.refuse = "";
    fireEvent.click(again);
    await closed();
    await undo();
    expect(calls).toEqual([
      ["change", "e1", EquipmentType.VEHICLE],
      ["change", "e1", EquipmentType.TOOLS],
      ["change", "e2", EquipmentType.VEHICLE],
      ["change", "e2", EquipmentType.TOOLS],
    ]);
  });
});
