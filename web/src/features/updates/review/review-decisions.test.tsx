import { Code } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { MeterChange, MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  FuelKind,
  UndoableDecision,
  UpdateStatus,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { currentToast } from "#/shared/toast/store";
import { refusal } from "#/test/refusal";
import { openDialog } from "#/test/open-dialog";
import { at, below, pickup, update } from "../updates.fixture";
import { choose, gone, open, press, row, waiting } from "./review-page.fixture";

describe("one by one", () => {
  it("removes a row after the server's response, not before", async () => {
    const calls = await open([update("a"), update("b")]);
    await press("a", "Apply");
    await gone("a");
    await row("b");
    expect(calls).toEqual([["apply", "a", null]]);
    expect(screen.getByText("1 update waiting")).toBeTruthy();
  });

  it("corrects a value in place", async () => {
    const calls = await open([update("a", { flags: ["jump"], newUsage: 48125 })]);
    await press("a", "Correct the value");
    const field = await screen.findByLabelText<HTMLInputElement>(
      "Correct reading of Excavator (hours)",
    );
    expect(field.value).toBe("48125");
    expect(document.activeElement).toBe(field);
    fireEvent.change(field, { target: { value: "4812,555" } });
    fireEvent.submit(field);
    await screen.findByText(/Enter the reading as a number of 0 or more/);
    fireEvent.change(field, { target: { value: "4,812.5" } });
    expect(screen.getByText("Sets the meter to this value: +8.4 h")).toBeTruthy();
    fireEvent.submit(field);
    await gone("a");
    expect(calls).toEqual([["apply", "a", 4812.5]]);
  });

  it("cancels a correction by Escape, with the focus on the row", async () => {
    await open([update("a")]);
    await choose("a", "Correct the value");
    const field = await screen.findByLabelText(/Correct reading/);
    fireEvent.keyDown(field, { key: "Escape" });
    await waitFor(() => expect(screen.queryByLabelText(/Correct reading/)).toBeNull());
    expect(document.activeElement).toBe(await row("a"));
  });

  it("moves it to the right machine, after a preview", async () => {
    const calls = await open([update("b", { ...below, newUsage: 4812.5 })]);
    await press("b", "Other machine");
    const dialog = await openDialog("Which machine was it?");
    expect(dialog.getByText(/Maria Lopez reported 4,812.5 miles for Pickup/)).toBeTruthy();
    const fits = await dialog.findByRole("group", { name: "The reading fits these" });
    expect(within(fits).getAllByRole("radio")).toHaveLength(1);
    const others = dialog.getByRole("group", { name: "All equipment" });
    expect(within(others).getByRole("radio", { name: /Roller.*never read/ })).toBeTruthy();
    expect(dialog.queryByRole("radio", { name: /Pickup/ })).toBeNull();
    fireEvent.click(dialog.getByRole("button", { name: "Move and apply" }));
    fireEvent.click(within(fits).getByRole("radio", { name: /Excavator/ }));
    expect(
      dialog.getByText(/It moves to Excavator \(shows 4,804.1 hours, \+8.4 h\) and is applied/),
    ).toBeTruthy();
    fireEvent.click(dialog.getByRole("button", { name: "Move and apply" }));
    await gone("b");
    expect(calls).toEqual([["move", "b", "e1"]]);
    expect((await row("b")).textContent).toContain("Applied to Excavator");
    fireEvent.click(within(await row("b")).getByRole("button", { name: "Undo" }));
    await waiting("b");
    expect(calls.slice(1)).toEqual([
      ["undo", UndoableDecision.APPLICATION, "b"],
      ["moveBack", "b", "e2"],
    ]);
    await screen.findByRole("heading", { name: "Pickup" });
  });

  it("lists machines of another unit or fuel last, and says what differs", async () => {
    const diesel = { unit: MeterUnit.HOURS, fuelAdded: 10, fuelKind: FuelKind.DIESEL };
    const calls = await open([update("a", { newUsage: 88910, ...diesel })], { moveWaits: true });
    await choose("a", "Other machine");
    const dialog = within(await screen.findByRole("dialog"));
    const pickupRadio = await dialog.findByRole("radio", { name: /Pickup/ });
    expect(pickupRadio.closest("label")?.textContent).toContain("counts in milesruns on gasoline");
    const names = dialog.getAllByRole("radio").map((each) => each.closest("label")?.textContent);
    expect(names[0]).toContain("Roller");
    fireEvent.click(pickupRadio);
    expect(dialog.getByText(/Pickup counts in miles, this update in another unit/)).toBeTruthy();
    expect(dialog.getByText(/Pickup runs on gasoline, this update has another/)).toBeTruthy();
    fireEvent.click(dialog.getByRole("button", { name: "Move anyway" }));
    await screen.findAllByText("Update moved");
    expect(calls).toEqual([["move", "a", "e2"]]);
  });

  it("finds a machine by name, and keeps an update waiting that is unusual there too", async () => {
    const calls = await open([update("a")], { moveWaits: true });
    await choose("a", "Other machine");
    const dialog = within(await screen.findByRole("dialog"));
    await dialog.findByRole("radio", { name: /Roller/ });
    const search = dialog.getByRole("searchbox");
    fireEvent.change(search, { target: { value: "nothing" } });
    expect(dialog.getByText("No equipment matches “nothing”")).toBeTruthy();
    fireEvent.change(search, { target: { value: "pick" } });
    fireEvent.click(dialog.getByRole("radio", { name: /Pickup/ }));
    fireEvent.click(dialog.getByRole("button", { name: "Move and apply" }));
    await screen.findAllByText("Update moved");
    await waitFor(() => expect(screen.queryByRole("heading", { name: "Excavator" })).toBeNull());
    await waitFor(async () =>
      expect((await row("a")).textContent).toContain("Reported for Excavator"),
    );
    await choose("a", "Other machine");
    const again = await openDialog("Which machine was it?");
    expect(again.getByText(/reported .* for Excavator/)).toBeTruthy();
    fireEvent.click(again.getByRole("button", { name: "Cancel" }));
    currentToast()?.action?.run();
    await screen.findByRole("heading", { name: "Excavator" });
    expect(calls.at(-1)).toEqual(["moveBack", "a", "e1"]);
  });

  it("names an update to move by its notes if it has no figures", async () => {
    const notes = "Medidor cambiado";
    await open([update("a", { notes, newUsage: undefined })]);
    await choose("a", "Other machine");
    const dialog = await openDialog("Which machine was it?");
    expect(dialog.getByText("Maria Lopez reported Meter replaced for Excavator.")).toBeTruthy();
  });

  it("ends one meter and starts the next, with a preview", async () => {
    const calls = await open([update("b", { ...below, newUsage: 12 })]);
    await press("b", "Meter replaced");
    const dialog = await openDialog("The meter was replaced");
    const final = dialog.getByLabelText<HTMLInputElement>("Last reading of the old meter");
    const start = dialog.getByLabelText("The new meter started at");
    expect(final.value).toBe("88904");
    expect(dialog.getByText(/98,916 mi/)).toBeTruthy();
    const submit = dialog.getByRole("button", { name: "Apply with the new meter" });
    fireEvent.change(final, { target: { value: "88000" } });
    fireEvent.click(submit);
    await dialog.findByText("The old meter already showed 88,904 miles.");
    fireEvent.change(final, { target: { value: "88910" } });
    fireEvent.change(start, { target: { value: "13" } });
    fireEvent.click(submit);
    await dialog.findByText(/can't have started above the reading, 12 miles/);
    fireEvent.change(start, { target: { value: "5" } });
    expect(dialog.getByText(/98,917 mi/)).toBeTruthy();
    fireEvent.click(submit);
    await gone("b");
    expect(calls).toEqual([
      ["apply", "b", null],
      ["meter", MeterChange.REPLACED, 88910, 5],
    ]);
  });

  it("offers a new meter first if the operator reported it, and the lower meter last", async () => {
    await open([update("b", { ...below, notes: "Medidor cambiado" })]);
    const found = within(await row("b"));
    expect(found.getByText("Meter replaced", { selector: "span" })).toBeTruthy();
    const names = found.getAllByRole("button").map((button) => button.textContent);
    expect(names.filter(Boolean)).toEqual([
      "Correct the value",
      "Other machine",
      "Set the meter back to 88,094 mi",
      "Meter replaced",
      "Reject",
    ]);
    await press("b", "Set the meter back to 88,094 mi");
    fireEvent.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Cancel" }),
    );
    await press("b", "Meter replaced");
    await openDialog("The meter was replaced");
  });

  it("warns of a new meter that counted too much, and shows the next service", async () => {
    await open([update("a", { newUsage: 500, belowCurrent: true, flags: ["below_meter"] })]);
    await press("a", "Meter replaced");
    const dialog = await openDialog("The meter was replaced");
    expect(dialog.getByRole("status").textContent).toBe(
      "That is +500 h since the reading of Nov 20, 2026, far more than usual. Check the figures.",
    );
    expect(dialog.getByText("due now, 304.1 h over")).toBeTruthy();
    fireEvent.change(dialog.getByLabelText("The new meter started at"), {
      target: { value: "495" },
    });
    expect(dialog.queryByRole("status")).toBeNull();
    expect(dialog.getByText(/due at 690\.9 h on the new meter/)).toBeTruthy();
  });

  it("continues life-to-date usage after a rollover", async () => {
    const calls = await open([update("b", { ...below, newUsage: 20 })]);
    await choose("b", "Meter rolled over");
    const dialog = await openDialog("The meter rolled over");
    expect(dialog.getByLabelText<HTMLInputElement>("Rolled over at").value).toBe("100000");
    expect(dialog.queryByLabelText("The new meter started at")).toBeNull();
    expect(dialog.getByText(/110,020 mi/)).toBeTruthy();
    fireEvent.click(dialog.getByRole("button", { name: "Apply with the new meter" }));
    await gone("b");
    expect(calls.at(-1)).toEqual(["meter", MeterChange.ROLLED_OVER, 100000, 0]);
  });

  it("rejects with a suggested or a typed reason", async () => {
    const calls = await open([update("a"), update("b")]);
    await press("a", "Reject");
    let dialog = await openDialog("Reject this update?");
    fireEvent.click(dialog.getByRole("button", { name: "Duplicate" }));
    expect(dialog.getByLabelText<HTMLTextAreaElement>(/^Reason/).value).toBe("Duplicate");
    fireEvent.click(dialog.getByRole("button", { name: "Reject" }));
    await gone("a");
    await press("b", "Reject");
    dialog = within(await screen.findByRole("dialog"));
    fireEvent.change(dialog.getByLabelText(/^Reason/), { target: { value: " Typo " } });
    fireEvent.click(dialog.getByRole("button", { name: "Reject" }));
    await gone("b");
    expect(calls).toEqual([
      ["reject", "a", "Duplicate"],
      ["reject", "b", "Typo"],
    ]);
  });

  it("questions a late update like any other one, and says what becomes of the meter", async () => {
    const late = { capturedAt: at("2026-11-20T11:59:59Z") };
    const calls = await open([update("a", { ...below, ...late }), update("b", late)]);
    await screen.findAllByText(/Captured before the last reading: it is recorded at its own time/);
    const first = within(await row("a"));
    expect(first.getByText("Below what the meter showed at that time")).toBeTruthy();
    expect(first.getByRole("button", { name: "Correct the value" })).toBeTruthy();
    await press("a", "Accept as is");
    await gone("a");
    expect(calls).toEqual([["apply", "a", 88094]]);
  });

  it("names the later reading that a reading contradicts, and says that the meter stays", async () => {
    const late = { flags: ["contradicts"], capturedAt: at("2026-11-20T11:00:00Z") };
    await open([update("a", late), update("b", { ...pickup, ...late, newUsage: 99000 })]);
    expect((await row("a")).textContent).toMatch(
      /A later reading \(4,804\.1 h, Nov 20, 2026, .*\) is lower than this one\. Accepting it keeps the meter at 4,804\.1 h\./,
    );
    // Of several meters it is not known which reading it is.
    expect((await row("b")).textContent).toContain("It does not fit another reading");
    await press("a", "Accept as is");
    await gone("a");
    expect((await row("a")).textContent).toContain("Applied; the meter stays at 4,804.1 h");
  });

  it("explains contradictions, other fuel and other units", async () => {
    await open([
      update("a", { flags: ["contradicts"] }),
      update("b", { ...pickup, flags: ["wrong_fuel"], fuelAdded: 9, fuelKind: FuelKind.DIESEL }),
      update("c", { flags: ["wrong_unit"], unit: MeterUnit.MILES, newUsage: 90 }),
    ]);
    expect((await row("a")).textContent).toContain(
      "It does not fit another reading of this machine. Accepting it records it at its own time.",
    );
    expect((await row("b")).textContent).toContain("Diesel for a machine that runs on Gasoline");
    const other = await row("c");
    expect(other.textContent).toContain("90 miles");
    expect(other.textContent).toContain("Captured in miles; the machine is measured in hours.");
  });

  it("asks for the value in the machine's unit instead of accepting another one", async () => {
    const calls = await open([
      update("a", { flags: ["wrong_unit"], unit: MeterUnit.MILES, newUsage: 90 }),
    ]);
    const names = within(await row("a"))
      .getAllByRole("button")
      .map((button) => button.textContent);
    expect(names.slice(0, 2)).toEqual(["Correct the value", "Reject"]);
    await press("a", "Correct the value");
    const field = await screen.findByLabelText<HTMLInputElement>(/^Correct reading of Excavator/);
    expect(field.value).toBe("");
    expect(calls).toEqual([]);
    fireEvent.change(field, { target: { value: "4810" } });
    fireEvent.submit(field);
    await gone("a");
    expect(calls).toEqual([["apply", "a", 4810]]);
  });

  it("shows an increase as such with the meter after it, and can replace it by a reading", async () => {
    const increase = { newUsage: undefined, usageIncrease: 8, flags: ["jump"] };
    await open([update("a", increase)]);
    expect((await row("a")).textContent).toContain("+8 h→ 4,812.1 hours");
    await press("a", "Correct the value");
    expect(await screen.findByLabelText(/^Correct reading of Excavator/)).toBeTruthy();
  });

  it("undoes a decision, which returns to the list", async () => {
    const calls = await open([update("a"), update("b")]);
    await press("a", "Apply");
    await gone("a");
    await press("a", "Undo");
    await waiting("a");
    expect(calls).toEqual([
      ["apply", "a", null],
      ["undo", UndoableDecision.APPLICATION, "a"],
    ]);
    expect(currentToast()).toBeNull();
    await press("b", "Reject");
    const dialog = within(await screen.findByRole("dialog"));
    fireEvent.click(dialog.getByRole("button", { name: "Duplicate" }));
    fireEvent.click(dialog.getByRole("button", { name: "Reject" }));
    await gone("b");
    expect((await row("b")).textContent).toContain("Rejected");
    await press("b", "Undo");
    await waiting("b");
  });

  it("undoes the last decision by a key", async () => {
    const calls = await open([update("a"), update("b")]);
    await press("a", "Apply");
    await gone("a");
    fireEvent.keyDown(document.body, { key: "u" });
    await waiting("a");
    expect(calls.at(-1)).toEqual(["undo", UndoableDecision.APPLICATION, "a"]);
  });

  it("offers the readings that were likely meant", async () => {
    const calls = await open([update("a", { flags: ["jump"], newUsage: 48125 })]);
    const found = within(await row("a"));
    const chips = await waitFor(() => found.getAllByRole("button", { name: /^Apply 4,/ }));
    expect(chips[0]?.textContent).toBe("Apply 4,812.5 hours+8.4 h");
    fireEvent.click(chips[0] ?? document.body);
    await gone("a");
    expect(calls).toEqual([["apply", "a", 4812.5]]);
    expect(found.getByText("Applied as 4,812.5 hours")).toBeTruthy();
    const announced = screen.getByText("Excavator: Applied as 4,812.5 hours");
    expect(announced.closest("[role=status]")).toBeTruthy();
  });

  it("asks before it accepts a reading that looks mistyped", async () => {
    const calls = await open([update("a", { flags: ["jump"], newUsage: 48125 })]);
    await press("a", "Accept as is");
    const dialog = within(await screen.findByRole("alertdialog"));
    expect(dialog.getByText("Much more than usual")).toBeTruthy();
    const why = /^\S+ .* reported 48,125 hours\. 4,812\.5 hours is more likely\.$/;
    expect(dialog.getByText(why)).toBeTruthy();
    expect(calls).toEqual([]);
    fireEvent.click(dialog.getByRole("button", { name: "Apply 48,125 hours anyway" }));
    await gone("a");
    expect(calls).toEqual([["apply", "a", null]]);
  });

  it("accepts a reading below today's meter that was above it when it was captured", async () => {
    const history = [
      { capturedAt: at("2026-11-21T13:00:00Z"), usageBefore: 4801.6, usage: 4804.1 },
    ];
    const calls = await open([update("a", { newUsage: 4802 })], { history });
    expect(await within(await row("a")).findByText("+0.4 h")).toBeTruthy();
    await press("a", "Apply");
    await gone("a");
    expect(calls).toEqual([["apply", "a", null]]);
  });

  it("accepts a large increase that no typing error explains", async () => {
    const calls = await open([update("a", { flags: ["jump"], newUsage: 6000 })]);
    await press("a", "Accept as is");
    await gone("a");
    expect(calls).toEqual([["apply", "a", null]]);
  });

  it("asks before a corrected value sets the meter back", async () => {
    const calls = await open([update("a")]);
    await choose("a", "Correct the value");
    const field = await screen.findByLabelText(/^Correct reading of Excavator/);
    fireEvent.change(field, { target: { value: "480" } });
    fireEvent.submit(field);
    const dialog = within(await screen.findByRole("alertdialog"));
    expect(calls).toEqual([]);
    fireEvent.click(dialog.getByRole("button", { name: "Cancel" }));
    expect(field.isConnected).toBe(true);
    fireEvent.submit(field);
    fireEvent.click(await screen.findByRole("button", { name: "Set the meter back" }));
    await gone("a");
    expect(calls).toEqual([["apply", "a", 480]]);
  });

  it.each([
    [
      "as much is left in addition for services up to it",
      [{ usageInterval: 500, lastDoneUsage: 98000, fromForm: true }],
      "Pickup shows 88,904 miles now. The meter goes down by 810 mi, and the usage left until the next service goes up by as much.",
    ],
    [
      "a service above it counts as done at it",
      [
        { usageInterval: 500, lastDoneUsage: 98500, fromForm: true },
        { usageInterval: 1000, lastDoneUsage: 98600, name: "Filter" },
        { usageInterval: 5000, lastDoneUsage: 95000, name: "Brakes" },
      ],
      "The meter goes down by 810 mi. Regular service: the last service, recorded at 88,500 miles, then counts as done at 88,094 miles; the next one is due at 88,594 miles. 1 more task then counts as done at 88,094 miles, too. The usage left until the other services goes up by 810 mi.",
    ],
    ["a machine without a plan has only a meter", [], /goes down by 810 mi\.$/],
  ])("says what a lower meter does to the services: %s", async (_, tasks, said) => {
    await open([update("a", below)], { tasks });
    await press("a", "Set the meter back to 88,094 mi");
    const dialog = within(await screen.findByRole("alertdialog"));
    const exact = { exact: false };
    expect(
      await (typeof said === "string" ? dialog.findByText(said, exact) : dialog.findByText(said)),
    ).toBeTruthy();
  });

  it("asks before a corrected value raises the meter too much", async () => {
    const calls = await open([update("a")]);
    await choose("a", "Correct the value");
    const field = await screen.findByLabelText(/^Correct reading of Excavator/);
    fireEvent.change(field, { target: { value: "48125" } });
    fireEvent.submit(field);
    const dialog = await screen.findByRole("alertdialog", { name: "Much more than usual" });
    expect(dialog.textContent).toMatch(/You entered 48,125\sh\./);
    expect(calls).toEqual([]);
    fireEvent.click(within(dialog).getByRole("button", { name: "Apply 48,125 hours anyway" }));
    await gone("a");
    expect(calls).toEqual([["apply", "a", 48125]]);
  });

  it("offers the reading that was probably meant by a corrected value", async () => {
    const calls = await open([update("a")]);
    await choose("a", "Correct the value");
    const field = await screen.findByLabelText(/^Correct reading of Excavator/);
    fireEvent.change(field, { target: { value: "48125" } });
    fireEvent.submit(field);
    const digit = await screen.findByRole("group", { name: "Wrong digit?" });
    fireEvent.click(within(digit).getByRole("button", { name: /^Apply 4,812.5 hours/ }));
    await gone("a");
    expect(calls).toEqual([["apply", "a", 4812.5]]);
  });

  it("says why a decision could not be undone", async () => {
    await open([update("a")], { undoExpired: true });
    await press("a", "Apply");
    await gone("a");
    await press("a", "Undo");
    await waitFor(() => expect(currentToast()?.title).toBe("The decision could not be undone"));
  });

  it("lists what was taken back, to apply it again with another value", async () => {
    const calls = await open([
      update("w"),
      update("t", {
        status: UpdateStatus.TAKEN_BACK,
        takenBackBy: "Ana Ruiz",
        takenBackReason: "One digit too many",
      }),
    ]);
    const list = within(await screen.findByRole("list", { name: "Taken back" }));
    expect(list.getByText("Taken back by Ana Ruiz: One digit too many")).toBeTruthy();
    fireEvent.click(list.getByRole("button", { name: /^More actions for/ }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Correct the value" }));
    const field = await list.findByLabelText(/^Correct reading of Excavator/);
    fireEvent.change(field, { target: { value: "481" } });
    fireEvent.submit(field);
    fireEvent.click(await screen.findByRole("button", { name: "Set the meter back" }));
    await list.findByText("Applied as 481 hours");
    const announced = screen.getByText("Excavator: Applied as 481 hours");
    expect(announced.closest("[role=status]")).toBeTruthy();
    await waitFor(() =>
      expect(document.activeElement).toBe(list.getByRole("group", { name: "Excavator" })),
    );
    expect(calls).toEqual([["apply", "t", 481]]);
  });

  it("flags a taken-back typing error again", async () => {
    const calls = await open([
      update("w"),
      update("t", { status: UpdateStatus.TAKEN_BACK, newUsage: 48_125 }),
    ]);
    const list = within(await screen.findByRole("list", { name: "Taken back" }));
    await list.findByRole("button", { name: "Accept as is" });
    expect(list.queryByRole("button", { name: "Apply" })).toBeNull();
    expect(list.getByRole("button", { name: "Correct the value" })).toBeTruthy();
    expect(calls).toEqual([]);
  });

  it("does not flag a taken-back update because of the meter after its own application", async () => {
    const taken = update("t", { status: UpdateStatus.TAKEN_BACK });
    await open([update("w"), taken], { meterAfter: 4814.5 });
    const list = within(await screen.findByRole("list", { name: "Taken back" }));
    fireEvent.click(await list.findByRole("button", { name: "Apply" }));
    await list.findByText("Applied");
    await screen.findByText(/^Shows 4,814.5 hours/);
    expect(list.getByText("Applied")).toBeTruthy();
    expect(list.queryByText(/below the meter/i)).toBeNull();
  });

  it("lists more of what was taken back, and retries after a failure", async () => {
    const taken = Array.from({ length: 21 }, (_, index) =>
      update(`t${index}`, { status: UpdateStatus.TAKEN_BACK }),
    );
    const failLists = new Set([UpdateStatus.TAKEN_BACK]);
    await open([update("w"), ...taken], { failLists });
    await screen.findByText("The updates that were taken back could not be loaded.");
    failLists.clear();
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    const list = await screen.findByRole("list", { name: "Taken back" });
    await waitFor(() => expect(list.children).toHaveLength(20));
    fireEvent.click(screen.getByRole("button", { name: "Show more" }));
    await waitFor(() => expect(list.children).toHaveLength(21));
  });

  it("requires a reason to reject", async () => {
    const calls = await open([update("a")]);
    await press("a", "Reject");
    const dialog = within(await screen.findByRole("dialog", { name: "Reject this update?" }));
    fireEvent.change(dialog.getByLabelText(/^Reason/), { target: { value: "  " } });
    fireEvent.click(dialog.getByRole("button", { name: "Reject" }));
    await dialog.findByText("Enter or choose a reason. The operator sees it.");
    fireEvent.click(dialog.getByRole("button", { name: "Wrong machine" }));
    await waitFor(() => expect(dialog.queryByText(/Enter or choose a reason/)).toBeNull());
    fireEvent.click(dialog.getByRole("button", { name: "Reject" }));
    await gone("a");
    expect(calls).toEqual([["reject", "a", "Wrong machine"]]);
  });

  it("offers only to move or reject an update of a machine that is gone", async () => {
    const sold = { equipmentId: "sold", unit: MeterUnit.MILES, flags: ["refused"] };
    const calls = await open([update("x", sold)]);
    await screen.findByText("No longer in your equipment");
    const entry = within(await row("x"));
    expect(entry.getByText("4,812.5 miles")).toBeTruthy();
    expect(entry.getByRole("listitem").textContent).toMatch(/^The machine is retired or was/);
    await waitFor(() =>
      expect(entry.queryByRole("button", { name: "Correct the value" })).toBeNull(),
    );
    expect(entry.getByRole("button", { name: "Other machine" })).toBeTruthy();
    fireEvent.click(entry.getByRole("button", { name: "Accept as is" }));
    expect(calls).toEqual([]);
    expect(entry.getByRole("button", { name: "Accept as is" }).getAttribute("aria-disabled")).toBe(
      "true",
    );
  });

  it("restores the retired machine of an update, and keeps the reason of a refusal", async () => {
    const failRestore = refusal(Code.FailedPrecondition, "EQUIPMENT_LIMIT_REACHED");
    const calls = await open([update("x", { equipmentId: "sold" })], {
      retired: "sold",
      failRestore,
    });
    await screen.findByText("No longer in your equipment");
    await press("x", "Restore");
    const dialog = within(await screen.findByRole("alertdialog", { name: "Restore Old truck?" }));
    fireEvent.click(dialog.getByRole("button", { name: "Restore equipment" }));
    await dialog.findByRole("link", { name: "See plans" });
    expect(calls).toEqual([["restore", "r1"]]);
  });

  it("says that a deleted machine can't be restored", async () => {
    await open([update("x", { equipmentId: "sold" })]);
    await screen.findByText("No longer in your equipment");
    await press("x", "Restore");
    expect(await screen.findByText(/^Excavator was deleted and can't be restored\./)).toBeTruthy();
  });

  it("does not call a machine removed while it is still loading", async () => {
    let letGo: () => void = () => undefined;
    await open([update("a"), update("b", pickup), update("x", { equipmentId: "sold" })], {
      moveWaits: true,
      gateEquipment: (ids) =>
        ids.includes("e3")
          ? new Promise<void>((resolve) => {
              letGo = resolve;
            })
          : Promise.resolve(),
    });
    await screen.findByText("No longer in your equipment");
    await choose("a", "Other machine");
    const dialog = within(await screen.findByRole("dialog"));
    fireEvent.click(await dialog.findByRole("radio", { name: /Roller/ }));
    fireEvent.click(dialog.getByRole("button", { name: "Move and apply" }));
    await screen.findByRole("heading", { name: "Roller" });
    expect(screen.queryAllByText("No longer in your equipment").length).toBeLessThan(2);
    letGo();
    await screen.findByText(/^never read$/);
    await screen.findByText("No longer in your equipment");
  });

  it("accepts a reading below another waiting one without talk of the meter", async () => {
    const calls = await open([update("a", { belowCurrent: true, flags: ["below_meter"] })]);
    await screen.findByText("Lower than another update that waits");
    expect(screen.queryByRole("button", { name: "Meter replaced" })).toBeNull();
    await press("a", "Accept as is");
    await gone("a");
    expect(calls).toEqual([["apply", "a", 4812.5]]);
  });

  it("keeps a row with the reason if its reading is now below the meter, and can accept it", async () => {
    const failApply = refusal(Code.FailedPrecondition, "BELOW_CURRENT");
    const calls = await open([update("a")], { failApply });
    await press("a", "Apply");
    expect((await screen.findByRole("alert")).textContent).toContain("now below the meter");
    await press("a", "Accept as is");
    expect((await screen.findByRole("alertdialog")).textContent).toContain(
      "shows more than 4,812.5 hours",
    );
    fireEvent.click(screen.getByRole("button", { name: "Set the meter back" }));
    await waitFor(() => expect(calls.at(-1)).toEqual(["apply", "a", 4812.5]));
  });
});
