import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { currentToast } from "#/shared/toast/store";
import { operator } from "#/test/render-app";
import { ago, machine, ownUpdate as update, unavailable } from "./operator.fixture";
import {
  choose,
  open,
  press,
  question,
  textOf,
  type,
  typeHours,
  valueOf,
} from "./operator-page.fixture";

describe("the form", () => {
  it("shows the user and the sent state, and preselects no machine", async () => {
    await open({ sent: [update("u1", { newUsage: 4804.1, status: "applied" })] });
    expect(screen.getByText("Welcome, maria4821")).toBeTruthy();
    expect(screen.getByText("Logged in as Operator")).toBeTruthy();
    expect(await screen.findByText("Everything is sent.")).toBeTruthy();
    expect(screen.getByText("Search all equipment")).toBeTruthy();
    expect(screen.queryByText(/^Now at/)).toBeNull();
  });

  it("shows each error beside its field", async () => {
    const { received } = await open();
    press("Submit");
    expect(await screen.findByText("No Equipment Selected")).toBeTruthy();
    expect(screen.getByText("No Information Provided")).toBeTruthy();
    await choose(/Excavator/);
    type("Meter reading (hours)", "many");
    type(/Fuel amount/, "-3");
    press("Submit");
    expect(await screen.findByText("Invalid Usage")).toBeTruthy();
    expect(screen.getByText("Invalid Fuel Amount")).toBeTruthy();
    expect(screen.queryByText("No Equipment Selected")).toBeNull();
    expect(received).toEqual([]);
  });

  it("focuses the first invalid field and updates errors while typing", async () => {
    await open();
    await choose(/Excavator/);
    type(/Fuel amount/, "-3");
    expect(screen.queryByText("Invalid Fuel Amount")).toBeNull();
    press("Submit");
    const fuel = screen.getByLabelText(/Fuel amount/);
    expect(document.activeElement).toBe(fuel);
    expect(fuel.getAttribute("aria-invalid")).toBe("true");
    const described = fuel.getAttribute("aria-describedby") ?? "";
    expect(document.getElementById(described)?.textContent).toContain("Invalid Fuel Amount");
    type(/Fuel amount/, "0");
    expect(screen.queryByText("Invalid Fuel Amount")).toBeNull();
    expect(screen.getByText("No Information Provided")).toBeTruthy();
    press("Submit");
    expect(document.activeElement).toBe(screen.getByLabelText("Meter reading (hours)"));
    type(/Fuel amount/, "3");
    expect(screen.queryByText("No Information Provided")).toBeNull();
    expect(fuel.getAttribute("aria-invalid")).toBeNull();
  });

  it("sends a reading once, shows the entry, and resets for the next", async () => {
    const { received, keys } = await open();
    await choose(/Excavator/);
    expect(document.activeElement).toBe(screen.getByLabelText("Meter reading (hours)"));
    expect(screen.getByText(/^Now at 4,804.1 h · read yesterday/)).toBeTruthy();
    type("Meter reading (hours)", "4812,5");
    expect(textOf(screen.getByText("+8.4 h").parentElement)).toBe("+8.4 h since yesterday");
    expect(screen.getByLabelText<HTMLInputElement>("Diesel").checked).toBe(true);
    type(/Fuel amount/, "12");
    const submit = screen.getByRole("button", { name: "Submit" });
    fireEvent.click(submit);
    fireEvent.click(submit);
    const submitted = await screen.findByRole("group", { name: "Update Submitted" });
    // The receipt says the same.
    expect(currentToast()).toBeNull();
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      equipmentId: "e1",
      newUsage: 4812.5,
      fuelAdded: 12,
      fuelType: "diesel",
    });
    expect(keys).toEqual([received[0]?.clientId]);
    expect(textOf(submitted)).toContain("Excavator4,812.5 h · 12.0 gal diesel");
    expect(within(submitted).getByText("Sent, waiting for review")).toBeTruthy();
    expect(document.activeElement).toBe(submitted);
    expect(valueOf("Meter reading")).toBe("");
    // The quick machine has the new reading.
    const quickMachines = screen.getByRole("list", { name: "Pinned and used recently" });
    const reported = within(quickMachines).getByRole("button", { name: /Excavator/ });
    expect(textOf(reported)).toBe("Excavator4,812.5 h");
  });

  it("warns of an unlikely reading while it is typed", async () => {
    await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "48125");
    expect(textOf(screen.getByText("+43,320.9 h").parentElement)).toBe(
      "+43,320.9 h since yesterday – Much more than usual",
    );
  });

  it("sends hours added as such, with the reading they are expected to give on screen", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    fireEvent.click(screen.getByLabelText("Hours added"));
    typeHours("8,4");
    expect(screen.getByText("4,812.5 h")).toBeTruthy();
    press("Submit");
    await waitFor(() => expect(received[0]).toMatchObject({ usageIncrease: 8.4, unit: "hours" }));
    expect(received[0]).not.toHaveProperty("newUsage");
    const submitted = await screen.findByRole("group", { name: "Update Submitted" });
    expect(textOf(submitted)).toContain("Excavator+8.4 h");
    await choose(/Excavator/);
    expect(screen.getByLabelText("Meter reading", { selector: "[type=radio]" })).toHaveProperty(
      "checked",
      true,
    );
  });

  it("shows what was taken back, with the reason", async () => {
    await open({
      sent: [update("u1", { status: "taken_back", takenBackReason: "One digit too many" })],
    });
    const row = await screen.findByText("Taken back, waiting for your manager");
    expect(row.closest("li")?.textContent).toContain("Reason: One digit too many");
  });

  it("translates a suggested reason", async () => {
    await open({ sent: [update("u1", { status: "taken_back", takenBackReason: "Duplicado" })] });
    expect(await screen.findByText("Reason: Duplicate")).toBeTruthy();
  });

  it("adds hours to the user's own last reading, also while it awaits review", async () => {
    const { received } = await open({
      sent: [update("u1", { newUsage: 4810, capturedAt: ago(0.2) })],
    });
    await choose(/Excavator/);
    expect(await screen.findByText(/^With your updates: 4,810 h/)).toBeTruthy();
    fireEvent.click(screen.getByLabelText("Hours added"));
    typeHours("2");
    expect(screen.getByText("4,812 h")).toBeTruthy();
    press("Submit");
    await waitFor(() => expect(received[0]?.usageIncrease).toBe(2));
  });

  it("hides the reading field of a machine without a meter until it is requested", async () => {
    const { received } = await open();
    await choose(/Trailer/);
    expect(screen.queryByLabelText(/reading/i)).toBeNull();
    press("Add a reading");
    expect(screen.getByLabelText("Meter reading", { selector: "[inputmode]" })).toBeTruthy();
    press("Add a note");
    type(/Maintenance notes/, "Flat tire");
    press("Submit");
    await waitFor(() => expect(received[0]?.notes).toBe("Flat tire"));
    expect(received[0]?.newUsage).toBeUndefined();
  });

  it("scrolls a new note above the Submit button, which Safari's focus does not", async () => {
    await open();
    const scroll = vi.spyOn(Element.prototype, "scrollIntoView");
    press("Add a note");
    const note = screen.getByLabelText(/Maintenance notes/);
    expect(document.activeElement).toBe(note);
    expect(scroll.mock.contexts).toEqual([note]);
    scroll.mockRestore();
  });
});

describe("a suspicious entry", () => {
  it("below the meter is questioned once and offers the missing digit", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "481.25");
    press("Submit");
    const sheet = await question("Lower than the last reading");
    expect(
      within(sheet).getByText(/You entered 481.25 h. The machine is at 4,804.1 h/),
    ).toBeTruthy();
    expect(received).toEqual([]);
    fireEvent.click(within(sheet).getByRole("button", { name: /Send 4,812.5.h/ }));
    await waitFor(() => expect(received[0]?.newUsage).toBe(4812.5));
  });

  it("and its confirmation have the machine's unit number in front of its name", async () => {
    await open({
      machines: [machine("e1", "Excavator", { unitNumber: "EX-07", meterReading: 4804.1 })],
    });
    await choose(/Excavator/);
    type("Meter reading (hours)", "481.25");
    press("Submit");
    const sheet = await question("Lower than the last reading");
    expect(textOf(sheet)).toContain("EX-07 Excavator");
    fireEvent.click(within(sheet).getByRole("button", { name: "Send as is" }));
    const sent = await screen.findByRole("group", { name: "Update Submitted" });
    expect(sent.textContent).toContain("EX-07 Excavator");
  });

  it("of a machine that is out of service can be sent, with its status in list and form", async () => {
    const { received } = await open({
      machines: [
        machine("e1", "Excavator", { meterReading: 4804.1, operationalStatus: "out_of_service" }),
        machine("e2", "Loader", { operationalStatus: "in_shop" }),
        machine("e3", "Roller"),
      ],
    });
    fireEvent.click(screen.getByLabelText("Equipment"));
    const list = await screen.findByRole("dialog", { name: "Choose equipment" });
    const rows = await within(list).findAllByRole("button", { name: /read/ });
    expect(rows.map((row) => /Out of service|In the shop/.exec(row.textContent)?.[0])).toEqual([
      "Out of service",
      "In the shop",
      undefined,
    ]);
    fireEvent.keyDown(list, { key: "Escape" });
    await choose(/Excavator/);
    expect(screen.getByText("Out of service")).toBeTruthy();
    type("Meter reading (hours)", "4810");
    press("Submit");
    await waitFor(() => expect(received[0]?.newUsage).toBe(4810));
  });

  it("below the user's own waiting reading is not said of the machine alone", async () => {
    await open({ sent: [update("u1", { newUsage: 4810, capturedAt: ago(0.2) })] });
    await choose(/Excavator/);
    await screen.findByText(/^With your updates: 4,810 h/);
    type("Meter reading (hours)", "4806");
    press("Submit");
    const sheet = await question("Lower than the last reading");
    expect(textOf(sheet)).toContain("With your updates, the machine is at 4,810 h (last read");
  });

  it("keeps all values after Back and does not repeat the question", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "12");
    press("Add a note");
    type(/Maintenance notes/, "Belt squeals");
    press("Submit");
    const sheet = await question("Lower than the last reading");
    fireEvent.keyDown(sheet, { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(valueOf("Meter reading (hours)")).toBe("12");
    expect(valueOf(/Maintenance notes/)).toBe("Belt squeals");
    press("Submit");
    await waitFor(() => expect(received).toHaveLength(1));
    expect(received[0]).toMatchObject({ newUsage: 12, notes: "Belt squeals" });
  });

  it("can be moved to another machine", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "9128");
    press("Submit");
    const sheet = await question("Much more than usual");
    expect(within(sheet).getByText(/about 8 h a day is usual/)).toBeTruthy();
    fireEvent.click(within(sheet).getByRole("button", { name: /Send for Backhoe/ }));
    await waitFor(() =>
      expect(received[0]).toMatchObject({ equipmentId: "e2", newUsage: 9128, notes: "" }),
    );
  });

  it("can be marked as a replaced meter with a note for the manager", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "3");
    press("Submit");
    const sheet = await question("Lower than the last reading");
    fireEvent.click(within(sheet).getByRole("button", { name: /notify the manager/ }));
    await waitFor(() =>
      expect(received[0]).toMatchObject({ newUsage: 3, notes: "Meter replaced" }),
    );
  });

  it("can be sent unchanged, with one question per flag", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "48125");
    type(/Fuel amount/, "385");
    press("Submit");
    const sheet = await question("Much more than usual");
    expect(within(sheet).getByText(/About 40.0 gal is usual/)).toBeTruthy();
    fireEvent.click(within(sheet).getByRole("button", { name: /Send 4,812.5.h/ }));
    const second = await question("More fuel than usual");
    expect(received).toEqual([]);
    fireEvent.click(within(second).getByRole("button", { name: "Send as is" }));
    await waitFor(() => expect(received[0]).toMatchObject({ newUsage: 4812.5, fuelAdded: 385 }));
  });

  it("with the wrong kind of fuel can be sent with the machine's own", async () => {
    const { received } = await open();
    await choose(/Pickup/);
    type(/Fuel amount/, "12");
    fireEvent.click(screen.getByRole("radio", { name: "Diesel" }));
    press("Submit");
    const sheet = await screen.findByRole("dialog");
    expect(within(sheet).getByText(/but Pickup runs on gas/)).toBeTruthy();
    fireEvent.click(within(sheet).getByRole("button", { name: /Send 12.0.gal gas/ }));
    await waitFor(() => expect(received[0]).toMatchObject({ fuelAdded: 12, fuelType: "gas" }));
  });

  it("names the hours added and what they result in, and offers them as the reading", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    fireEvent.click(screen.getByLabelText("Hours added"));
    typeHours("4812.5");
    press("Submit");
    const sheet = await question("Much more than usual");
    expect(textOf(sheet)).toMatch(
      /You entered \+4,812.5 h. That is 4,812.5 h more .*New reading: 9,616.6 h\.Meter/,
    );
    fireEvent.click(within(sheet).getByRole("button", { name: /Send 4,812.5.h/ }));
    await waitFor(() => expect(received[0]).toMatchObject({ newUsage: 4812.5 }));
    expect(received[0]).not.toHaveProperty("usageIncrease");
  });

  it("that repeats another one is sent only on request", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    await screen.findByRole("group", { name: "Update Submitted" });
    await choose(/Excavator/);
    expect(screen.queryByRole("group", { name: "Update Submitted" })).toBeNull();
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    const sheet = await question("You reported this already");
    fireEvent.click(within(sheet).getByRole("button", { name: /Don't send it again/ }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(received).toHaveLength(1);
    expect(valueOf("Meter reading")).toBe("");
  });
});

describe("the picker", () => {
  it.each([{ key: "/" }, { key: "k", ctrlKey: true }])("opens by key: %o", async (event) => {
    await open();
    await waitFor(() => {
      fireEvent.keyDown(document.body, event);
      expect(screen.getByRole("dialog", { name: "Choose equipment" })).toBeTruthy();
    });
  });

  it("finds machines by serial number and shows when none match", async () => {
    await open();
    fireEvent.click(screen.getByLabelText("Equipment"));
    const search = await screen.findByLabelText("Search equipment");
    fireEvent.change(search, { target: { value: "0o1i" } });
    const sheet = within(screen.getByRole("dialog"));
    expect(sheet.getAllByRole("button", { name: /^Excavator/ })).toHaveLength(1);
    expect(sheet.queryByRole("button", { name: /^Pickup/ })).toBeNull();
    fireEvent.change(search, { target: { value: "crane" } });
    expect(screen.getByText("No equipment found")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Clear search" }));
    expect(sheet.getByRole("button", { name: /^Pickup/ })).toBeTruthy();
  });

  it("shows the machine of a rejected report as a quick machine", async () => {
    const more = { equipmentId: "e3", equipmentName: "Pickup", status: "rejected" } as const;
    await open({ sent: [update("r1", more)] });
    const quickMachines = await screen.findByRole("list", { name: "Pinned and used recently" });
    expect(await within(quickMachines).findByRole("button", { name: /Pickup/ })).toBeTruthy();
  });

  it("shows a pinned machine as a quick machine", async () => {
    await open();
    fireEvent.click(screen.getByLabelText("Equipment"));
    fireEvent.click(await screen.findByRole("button", { name: "Pin Pickup on top" }));
    fireEvent.keyDown(screen.getByRole("dialog"), { key: "Escape" });
    const quickMachines = await screen.findByRole("list", { name: "Pinned and used recently" });
    fireEvent.click(await within(quickMachines).findByRole("button", { name: /Pickup/ }));
    expect(screen.getByLabelText("Meter reading (miles)")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Gas").checked).toBe(true);
    const pin = screen.getByRole("button", { name: "Pin Pickup on top" });
    expect(pin.getAttribute("aria-pressed")).toBe("true");
    fireEvent.click(pin);
    await waitFor(() => expect(pin.getAttribute("aria-pressed")).toBe("false"));
  });

  it("shows an empty list and a load failure", async () => {
    await open({ machines: [] });
    fireEvent.click(screen.getByLabelText("Equipment"));
    expect(await screen.findByText("No equipment yet")).toBeTruthy();
  });

  it("offers a retry after a load failure", async () => {
    await open({ machines: unavailable });
    expect(await screen.findByText("The server is not responding.")).toBeTruthy();
    fireEvent.click(screen.getByLabelText("Equipment"));
    const sheet = await screen.findByRole("dialog", { name: "Choose equipment" });
    expect(await within(sheet).findByRole("button", { name: "Try again" })).toBeTruthy();
  });
});

it("signs out when another tab logs out", async () => {
  const { queryClient, router } = await open();
  const otherTab = new BroadcastChannel("hourmeter-session");
  otherTab.postMessage("another user");
  otherTab.postMessage(operator.id);
  await waitFor(() => expect(router.state.location.pathname).toBe("/employee-login"));
  expect(queryClient.getQueryData(["session"])).toBeNull();
  otherTab.close();
});
