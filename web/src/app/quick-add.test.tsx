import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { openDialog } from "#/test/open-dialog";
import { openOffice as open } from "./command.fixture";

const trailer = { id: "t", name: "Flatbed", unit: MeterUnit.NOT_APPLICABLE };

async function add(entry: string) {
  const button = await screen.findByRole("button", { name: "Add" });
  button.focus();
  fireEvent.keyDown(button, { key: "Enter" });
  fireEvent.click(await screen.findByRole("menuitem", { name: entry }));
}

describe("the + menu", () => {
  it("shows the single keys of its entries", async () => {
    await open();
    fireEvent.keyDown(await screen.findByRole("button", { name: "Add" }), { key: "Enter" });
    expect((await screen.findByRole("menuitem", { name: "Fuel" })).textContent).toBe("FuelF");
    expect(screen.getByRole("menuitem", { name: "Machine" }).textContent).toBe("Machine");
  });

  it("records a reading after the machine is chosen by keys, and offers it first next time", async () => {
    const { recordUsage } = await open();
    await add("Meter reading");
    const picker = await openDialog("Meter reading for which machine?");
    const field = picker.getByRole("combobox");
    expect(document.activeElement).toBe(field);
    fireEvent.change(field, { target: { value: "310" } });
    const only = await picker.findByRole("option", { name: /310SL/, selected: true });
    expect(only.textContent).toContain("6,720.7");
    await waitFor(() => expect(picker.getAllByRole("option")).toHaveLength(1));
    fireEvent.keyDown(field, { key: "Enter" });

    const form = await openDialog("Add meter reading");
    const reading = form.getByLabelText(/^Meter reading/);
    // Not on the choice between reading and increase, which comes first.
    expect(document.activeElement).toBe(reading);
    fireEvent.change(reading, { target: { value: "6731" } });
    fireEvent.click(form.getByRole("button", { name: "Add meter reading" }));
    await waitFor(() => expect(recordUsage).toHaveBeenCalledTimes(1));
    expect(recordUsage.mock.calls[0]?.[0]).toMatchObject({ id: "a", reading: 6731 });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

    await add("Fuel");
    const again = await openDialog("Fuel for which machine?");
    const recent = await again.findByRole("group", { name: "Recent" });
    fireEvent.click(within(recent).getByRole("option", { name: /310SL/ }));
    const fuel = await openDialog("Add fuel");
    expect(document.activeElement).toBe(fuel.getByLabelText(/^Fuel added/));
  });

  it("offers machines without a meter for everything but readings", async () => {
    await open("/no-such-page", "Dump truck", trailer);
    await add("Meter reading");
    const readings = await openDialog("Meter reading for which machine?");
    await readings.findByRole("option", { name: /310SL/ });
    expect(readings.queryByRole("option", { name: /Flatbed/ })).toBeNull();
    const field = readings.getByRole("combobox");
    fireEvent.change(field, { target: { value: "flat" } });
    await readings.findByText(/^No machine matches/);
    fireEvent.keyDown(field, { key: "Escape" });
    await add("Service done");
    const services = await openDialog("Which machine was serviced?");
    fireEvent.click(await services.findByRole("option", { name: /Flatbed/ }));
    const dialog = await openDialog("Mark Flatbed as serviced?");
    const link = await dialog.findByRole("link", { name: "Add a service plan" });
    expect(link.getAttribute("href")).toBe("/add-equipment?edit=t");
  });

  it("undoes a reading that was just recorded", async () => {
    const { recordUsage, voidEntry } = await open();
    await add("Meter reading");
    const picker = await openDialog("Meter reading for which machine?");
    fireEvent.click(await picker.findByRole("option", { name: /310SL/ }));
    const form = await openDialog("Add meter reading");
    fireEvent.change(form.getByLabelText(/^Meter reading/), { target: { value: "6731" } });
    fireEvent.click(form.getByRole("button", { name: "Add meter reading" }));
    fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
    await screen.findByText("Change undone");
    expect(recordUsage).toHaveBeenCalledTimes(1);
    expect(voidEntry.mock.calls[0]?.[0]).toMatchObject({ equipmentId: "a", entryId: "h1" });
  });

  it("waits for the machines of the typed text before Enter chooses one", async () => {
    await open();
    await add("Meter reading");
    const picker = await openDialog("Meter reading for which machine?");
    await picker.findByRole("option", { name: /Dump truck/, selected: true });
    const field = picker.getByRole("combobox");
    fireEvent.change(field, { target: { value: "310" } });
    fireEvent.keyDown(field, { key: "Enter" });
    const form = await openDialog("Add meter reading");
    expect(form.getByText(/310SL$/)).toBeTruthy();
  });

  it("moves the highlight by arrow keys, also past the ends", async () => {
    await open();
    await add("Note");
    const picker = await openDialog("Note for which machine?");
    const field = picker.getByRole("combobox");
    const chosen = () => picker.getByRole("option", { selected: true });
    await picker.findByRole("option", { name: /Dump truck/, selected: true });
    fireEvent.keyDown(field, { key: "ArrowUp" });
    expect(chosen().textContent).toContain("310SL");
    expect(field.getAttribute("aria-activedescendant")).toBe(chosen().id);
    fireEvent.keyDown(field, { key: "ArrowDown" });
    expect(chosen().textContent).toContain("Dump truck");
  });

  it("opens the pages for a new machine and a new operator", async () => {
    const { router } = await open();
    await add("Operator");
    await screen.findByRole("dialog", { name: "Add Operator" });
    expect(router.state.location.href).toBe("/employees?open=add");
    fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(router.state.location.href).toBe("/employees"));
    await add("Machine");
    await screen.findByRole("heading", { level: 1, name: "Add Equipment" });
  });
});
