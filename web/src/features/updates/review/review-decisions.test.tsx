import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { HistoryKind, MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  FuelKind,
  UndoableDecision,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { currentToast } from "#/shared/toast/store";
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

  it("no longer says of a corrected value that it is below the meter", async () => {
    await open([update("b", { ...below, flags: ["below_meter", "fuel_high"], fuelAdded: 90 })]);
    const found = within(await row("b"));
    expect(await found.findByText(/below the meter/)).toBeTruthy();
    await press("b", "Correct the value");
    const field = await screen.findByLabelText(/^Correct reading of Pickup/);
    fireEvent.change(field, { target: { value: "88910" } });
    fireEvent.submit(field);
    await found.findByText("Applied as 88,910 miles");
    expect(found.queryByText(/below the meter/)).toBeNull();
    expect(found.getByText(/90\.0 gal in one fill/)).toBeTruthy();
  });

  it("cancels a correction by Escape, with the focus on the row", async () => {
    await open([update("a")]);
    await choose("a", "Correct the value");
    const field = await screen.findByLabelText(/Correct reading/);
    fireEvent.keyDown(field, { key: "Escape" });
    await waitFor(() => expect(screen.queryByLabelText(/Correct reading/)).toBeNull());
    expect(document.activeElement).toBe(await row("a"));
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

  const after = { capturedAt: at("2026-11-20T12:00:00Z") };
  const service = { ...after, kind: HistoryKind.SERVICE, performedOn: "2026-11-20" };

  it("names the later reading that a reading contradicts, and says that the meter stays", async () => {
    const late = { flags: ["contradicts"], capturedAt: at("2026-11-20T11:00:00Z") };
    await open([update("a", late), update("b", { ...pickup, ...late, newUsage: 99000 })], {
      history: [{ ...after, kind: HistoryKind.USAGE, reading: 4804.1 }],
    });
    expect(
      await within(await row("a")).findByText(
        /A later reading \(4,804\.1 h, Nov 20, 2026, .*\) is lower than this one\. Accepting it keeps the meter at 4,804\.1 h\./,
      ),
    ).toBeTruthy();
    // Of several meters it is not known which reading it is.
    expect((await row("b")).textContent).toContain("It does not fit another reading");
    await press("a", "Accept as is");
    await gone("a");
    expect((await row("a")).textContent).toContain("Applied; the meter stays at 4,804.1 h");
  });

  it("says that a reading above a later service raises the meter", async () => {
    const late = { flags: ["contradicts"], capturedAt: at("2026-11-20T11:00:00Z") };
    await open([update("a", late)], { history: [{ ...service, reading: 4804.1 }] });
    const found = within(await row("a"));
    const text =
      "The service of Nov 20, 2026 was recorded at 4,804.1 h, lower than this one. Accepting it raises the meter to 4,812.5 h.";
    expect(await found.findByText(text)).toBeTruthy();
    await press("a", "Accept as is");
    await gone("a");
    expect(found.getByText("Applied")).toBeTruthy();
    expect(found.queryByText(text)).toBeNull();
  });

  it("does not say which reading contradicts while the history is unknown", async () => {
    const late = { flags: ["contradicts"], capturedAt: at("2026-11-20T11:00:00Z") };
    await open([update("a", late)]);
    expect((await row("a")).textContent).toContain("It does not fit another reading");
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
    expect((await row("b")).textContent).toContain("Diesel for a machine that runs on gasoline");
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

  it("leads to the entry of a decided row when it is too late to undo", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    await open([
      update("a", {
        operatorId: "o1",
        capturedAt: at("2026-11-19T12:00:00Z"),
        reviewedAt: at("2026-11-22T12:00:00Z"),
      }),
      ...["b", "c", "d"].map((id) => update(id)),
    ]);
    // Each decision keeps the earlier rows.
    for (const id of ["a", "b", "c", "d"]) {
      await press(id, "Apply");
      await gone(id);
      act(() => void vi.advanceTimersByTime(18_000));
    }
    const first = within(await row("a"));
    const link = await first.findByRole("link", { name: "Void in history" });
    expect(link.getAttribute("href")).toBe(
      "/equipment/item/e1?tab=history&person=o1&from=2026-11-19&to=2026-11-22",
    );
    expect(first.queryByRole("button", { name: "Undo" })).toBeNull();
    expect(within(await row("d")).getByRole("button", { name: "Undo" })).toBeTruthy();
    vi.useRealTimers();
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
});
