import { Code } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { MeterChange } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { refusal } from "#/test/refusal";
import { openDialog } from "#/test/open-dialog";
import { at, below, update } from "../updates.fixture";
import { choose, gone, open, press, row } from "./review-page.fixture";

describe("one by one", () => {
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
    await dialog.findByText("The meter already showed 88,904 miles.");
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

  it("takes the meter of its time for a late reading", async () => {
    const late = { flags: ["below_meter"], capturedAt: at("2026-11-20T11:00:00Z") };
    const calls = await open([update("a", { ...late, newUsage: 30, previousUsage: 4900 })]);
    await choose("a", "Meter replaced");
    const dialog = await openDialog("The meter was replaced");
    const final = dialog.getByLabelText<HTMLInputElement>("Last reading of the old meter");
    expect(final.value).toBe("4900");
    expect(dialog.queryByRole("region", { name: "After saving" })).toBeNull();
    fireEvent.click(dialog.getByRole("button", { name: "Apply with the new meter" }));
    await gone("a");
    expect(calls[1]).toEqual(["meter", MeterChange.REPLACED, 4900, 0]);
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
    fireEvent.click(dialog.getByRole("button", { name: "Apply with the rollover" }));
    await gone("b");
    expect(calls.at(-1)).toEqual(["meter", MeterChange.ROLLED_OVER, 100000, 0]);
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
