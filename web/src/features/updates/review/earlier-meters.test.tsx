import { fireEvent, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { MeterChange } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { openDialog } from "#/test/open-dialog";
import { at, below, pickup, update } from "../updates.fixture";
import { choose, focus, gone, key, open, press, row } from "./review-page.fixture";

it("the dialog for a replaced meter names the highest waiting reading of the old one", async () => {
  const old = { ...pickup, capturedAt: at("2026-11-21T08:00:00Z") };
  const calls = await open([
    update("b", { ...below, newUsage: 12 }),
    update("a", { ...old, newUsage: 89100, operatorName: "Luis Diaz" }),
    update("c", { ...old, newUsage: 89050 }),
    update("d", { ...old, newUsage: 99000, flags: ["wrong_unit"] }),
    update("e", { ...old, newUsage: 99000, capturedAt: at("2026-11-21T13:00:00Z") }),
    update("f", { newUsage: 99000, capturedAt: old.capturedAt }),
  ]);
  await press("b", "Meter replaced");
  const dialog = await openDialog("The meter was replaced");
  const final = await dialog.findByRole("textbox", {
    name: "Last reading of the old meter",
    description:
      /^Luis Diaz reported 89,100 mi on Nov 21, 2026, .* the meter reached at least that value/,
  });
  fireEvent.click(dialog.getByRole("radio", { name: "Rolled over" }));
  expect(dialog.queryByRole("button", { name: "Use 89,100 mi" })).toBeNull();
  fireEvent.click(dialog.getByRole("radio", { name: "Replaced" }));
  fireEvent.click(dialog.getByRole("button", { name: "Use 89,100 mi" }));
  expect(final.isConnected && final.getAttribute("value")).toBe("89100");
  fireEvent.click(dialog.getByRole("button", { name: "Apply with the new meter" }));
  await gone("b");
  expect(calls.at(-1)).toEqual(["meter", MeterChange.REPLACED, 89100, 0]);
});

it("the dialog for a rollover names a waiting reading above it", async () => {
  await open([
    update("b", { ...below, newUsage: 12 }),
    update("a", { ...pickup, capturedAt: at("2026-11-21T08:00:00Z"), newUsage: 100_040 }),
  ]);
  await choose("b", "Meter rolled over");
  const dialog = await openDialog("The meter rolled over");
  const rollover = dialog.getByRole("textbox", {
    name: "Rolled over at",
    description:
      /^Maria Lopez reported 100,040 mi on Nov 21, 2026, .* the meter reached at least that value/,
  });
  expect(dialog.queryByRole("button", { name: "Use 100,040 mi" })).toBeNull();
  fireEvent.change(rollover, { target: { value: "1000000" } });
  expect(dialog.getByRole("textbox", { description: /^The value after the highest/ })).toBe(
    rollover,
  );
});

const late = { flags: ["contradicts"], capturedAt: at("2026-11-18T12:00:00Z") };
const first = {
  number: 1,
  endReading: 88880,
  endedAt: at("2026-11-18T18:00:00Z"),
  endedBy: MeterChange.REPLACED,
};
const segments = [
  { number: 3 },
  { number: 2, endReading: 95, endedAt: at("2026-11-19T18:00:00Z"), endedBy: MeterChange.REPLACED },
  first,
  { number: 0, endReading: 5, endedAt: at("2026-11-17T18:00:00Z"), endedBy: MeterChange.REPLACED },
];

it("a reading above the end of its meter is corrected first", async () => {
  const calls = await open(
    [
      update("a", { ...pickup, ...late, newUsage: 88900 }),
      update("b", { ...pickup, ...late, newUsage: 88880 }),
    ],
    { segments },
  );
  const text =
    "Above the last reading of the old meter (88,880 mi, replaced Nov 18, 2026). Correct the value, or void the replacement first.";
  const above = within(await row("a"));
  expect(await above.findByText(text)).toBeTruthy();
  expect(above.queryByRole("button", { name: "Accept as is" })).toBeNull();
  expect(above.getAllByRole("button").map((button) => button.textContent)).toEqual([
    "Correct the value",
    "Reject",
    "",
  ]);
  // It may be what the meter showed at its end.
  const end = within(await row("b"));
  expect(end.getByText(/^It does not fit another reading/)).toBeTruthy();
  expect(end.getByRole("button", { name: "Accept as is" })).toBeTruthy();
  await press("a", "Correct the value");
  const field = await above.findByLabelText("Correct reading of Pickup (miles)");
  fireEvent.change(field, { target: { value: "88870" } });
  fireEvent.submit(field);
  await gone("a");
  expect(above.getByText("Applied as 88,870 miles")).toBeTruthy();
  expect(above.queryByText(text)).toBeNull();
  expect(calls).toEqual([
    ["segments", "e2"],
    ["apply", "a", 88870],
  ]);
});

it("the key for applying corrects a reading above the end of its meter", async () => {
  const calls = await open([update("a", { ...pickup, ...late, newUsage: 88900 })], { segments });
  await within(await row("a")).findByText(/^Above the last reading of the old meter/);
  await focus("a");
  key("a");
  expect(await screen.findByLabelText("Correct reading of Pickup (miles)")).toBeTruthy();
  expect(calls).toEqual([["segments", "e2"]]);
});

it("a reading above a rollover names it", async () => {
  await open([update("a", { ...pickup, ...late, newUsage: 88900 })], {
    segments: [{ ...first, endedBy: MeterChange.ROLLED_OVER }],
  });
  const text = /^Above the value at which the meter rolled over \(88,880 mi, Nov 18, 2026\)/;
  expect(await within(await row("a")).findByText(text)).toBeTruthy();
});

it.each([
  ["of the first meter", { ...late }],
  ["of the current meter", { ...pickup, ...late, capturedAt: at("2026-11-21T12:00:00Z") }],
  ["without a contradiction", { ...pickup, capturedAt: late.capturedAt }],
  ["in another unit", { ...pickup, ...late, flags: ["contradicts", "wrong_unit"] }],
])("a reading %s needs no list of meters", async (_, more) => {
  const calls = await open([update("a", more)], { segments });
  await screen.findByText(/^Shows /);
  expect(calls).toEqual([]);
});
