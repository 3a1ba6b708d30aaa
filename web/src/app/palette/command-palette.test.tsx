import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { openDialog } from "#/test/open-dialog";
import { openOffice } from "../command.fixture";

const key = (name: string, more: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key: name, ...more });

async function openPalette() {
  await screen.findByRole("button", { name: "Search" });
  // The effect that listens to keys may run after the button appeared.
  await act(async () => {});
  key("k", { ctrlKey: true });
  const palette = await openDialog("Search and commands");
  const field = palette.getByRole("combobox");
  const type = (text: string) => fireEvent.change(field, { target: { value: text } });
  return { palette, field, type };
}

describe("the command palette", () => {
  it("opens a machine by a part of its name", async () => {
    const { router } = await openOffice();
    const { palette, field, type } = await openPalette();
    expect(document.activeElement).toBe(field);
    type("310");
    await palette.findByRole("option", { name: /310SL/, selected: true });
    key("Enter");
    await waitFor(() => expect(router.state.location.pathname).toBe("/equipment/item/a"));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("waits for the results of what was typed before Enter chooses the first", async () => {
    const { router } = await openOffice();
    const { palette, type } = await openPalette();
    await palette.findByRole("option", { name: "Add machine" });
    type("310");
    key("Enter");
    await waitFor(() => expect(router.state.location.pathname).toBe("/equipment/item/a"));
  });

  it("lists machines first until the name of an action is complete", async () => {
    await openOffice("/no-such-page", "Fuel truck");
    const { palette, type } = await openPalette();
    type("fue");
    await palette.findByRole("option", { name: /Fuel truck/, selected: true });
    type("fuel");
    expect(await palette.findByRole("option", { name: "Fuel", selected: true })).toBeTruthy();
  });

  it("records a reading for the machine that the words name", async () => {
    const { recordUsage } = await openOffice();
    const { palette, type } = await openPalette();
    type("reading for 310");
    await palette.findByRole("option", { name: /^Meter reading: .*310SL/, selected: true });
    key("Enter");
    const form = await openDialog("Add meter reading");
    fireEvent.change(form.getByLabelText(/^Meter reading/), { target: { value: "6731" } });
    fireEvent.click(form.getByRole("button", { name: "Add meter reading" }));
    await waitFor(() => expect(recordUsage).toHaveBeenCalledTimes(1));
    expect(recordUsage.mock.calls[0]?.[0]).toMatchObject({ id: "a", reading: 6731 });
  });

  it.each([
    ["mark", "Service done"],
    ["mark as serviced", "Service done"],
    ["mark serviced", "Service done"],
    ["update usage", "Meter reading"],
    ["theme", "Settings"],
    ["dark mode", "Settings"],
    ["snooze", "Service$"],
  ])("finds by the words of the buttons: %s", async (text, name) => {
    await openOffice();
    const { palette, type } = await openPalette();
    type(text);
    await waitFor(() => expect(palette.getAllByRole("option")).toHaveLength(1));
    const option = new RegExp(`^${name}`);
    expect(palette.getByRole("option", { name: option, selected: true })).toBeTruthy();
  });

  it("records a service for the machine that is named after the button's words", async () => {
    await openOffice();
    const { palette, type } = await openPalette();
    type("mark as serviced 310");
    const option = { name: /^Service done: .*310SL/, selected: true };
    expect(await palette.findByRole("option", option)).toBeTruthy();
  });

  it("finds people without accents, pages and actions", async () => {
    const { router } = await openOffice();
    const { palette, type } = await openPalette();
    expect(palette.getByRole("option", { name: "Retired Equipment" })).toBeTruthy();
    expect(palette.getByRole("option", { name: "Notifications" })).toBeTruthy();
    expect(palette.getByRole("option", { name: "Add machine" })).toBeTruthy();
    type("lopez");
    fireEvent.click(await palette.findByRole("option", { name: /María López/ }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/employees"));
    expect(router.state.location.search).toEqual({ search: "María López" });
  });

  it("adds an operator", async () => {
    await openOffice();
    const { palette } = await openPalette();
    fireEvent.click(palette.getByRole("option", { name: "Add operator" }));
    expect(await screen.findByRole("dialog", { name: "Add Operator" })).toBeTruthy();
  });

  it("says that nothing matches", async () => {
    await openOffice();
    const { palette, type } = await openPalette();
    type("zzz");
    await palette.findByText("Nothing matches “zzz”");
    expect(palette.queryByRole("listbox")).toBeNull();
  });
});

describe("the single-key shortcuts", () => {
  it("record for the machine of the page", async () => {
    await openOffice("/equipment/item/a");
    await screen.findByRole("heading", { level: 1, name: "310SL" });
    await screen.findByRole("button", { name: "Search" });
    key("f");
    const form = await openDialog("Add fuel");
    expect(form.getByText(/310SL$/)).toBeTruthy();
  });

  it("record for the machine of the focused row", async () => {
    await openOffice("/equipment-list");
    await screen.findByRole("link", { name: "310SL" });
    await screen.findByRole("button", { name: "Search" });
    key("j");
    key("j");
    key("f");
    const form = await openDialog("Add fuel");
    expect(form.getByText(/310SL$/)).toBeTruthy();
  });

  it("move through a list, list themselves and can be turned off", async () => {
    await openOffice("/equipment-list");
    const link = await screen.findByRole("link", { name: "310SL" });
    await screen.findByRole("button", { name: "Search" });
    key("j");
    key("j");
    expect(document.activeElement).toBe(link);
    key("k");
    expect(document.activeElement?.textContent).toBe("Dump truck");
    key("?", { shiftKey: true });
    const sheet = await openDialog("Keyboard shortcuts");
    fireEvent.click(sheet.getByRole("switch", { name: "Single-key shortcuts" }));
    fireEvent.click(sheet.getByRole("button", { name: "Close" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    key("/");
    expect(screen.queryByRole("dialog")).toBeNull();
    key("k", { metaKey: true });
    await openDialog("Search and commands");
  });
});
