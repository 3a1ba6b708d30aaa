import { fireEvent, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { FuelKind } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { pickup, update } from "../updates.fixture";
import { gone, open, press, row } from "./review-page.fixture";

const fill = { fuelAdded: 400, fuelKind: FuelKind.DIESEL, flags: ["fuel_high"] };

const fuelField = () => screen.findByLabelText<HTMLInputElement>("Fuel (gal)");

it("corrects the fuel and leaves the reading as it was sent", async () => {
  const calls = await open([update("a", fill)]);
  await press("a", "Correct the value");
  const field = await fuelField();
  expect(field.value).toBe("400");
  expect(document.activeElement).toBe(field);
  fireEvent.change(field, { target: { value: "40.555" } });
  fireEvent.submit(field);
  await screen.findByText(/Enter the fuel as a number of 0 or more/);
  fireEvent.change(field, { target: { value: "40" } });
  fireEvent.submit(field);
  await gone("a");
  expect(calls).toEqual([
    ["apply", "a", null],
    ["fuel", 40, FuelKind.DIESEL],
  ]);
  expect(within(await row("a")).getByText(/^Applied as 40.0\sgal diesel$/)).toBeTruthy();
});

it("closes the form of a decided row, and leaves it closed while another is open", async () => {
  await open([update("a", fill), update("b", { ...pickup, ...fill })]);
  await press("a", "Correct the value");
  const field = await fuelField();
  fireEvent.change(field, { target: { value: "40" } });
  fireEvent.submit(field);
  await gone("a");
  const closed = field.closest("[inert]")?.parentElement;
  expect(closed?.className).toContain("grid-rows-[0fr]");
  await press("b", "Correct the value");
  await within(await row("b")).findByLabelText("Fuel (gal)");
  expect(closed?.isConnected).toBe(true);
});

it("corrects the fuel of an update that has nothing else", async () => {
  const calls = await open([update("a", { ...fill, newUsage: undefined })]);
  await press("a", "Correct the value");
  expect(screen.queryByLabelText(/^Correct reading/)).toBeNull();
  const field = await fuelField();
  fireEvent.change(field, { target: { value: "0" } });
  fireEvent.submit(field);
  await gone("a");
  expect(calls[1]).toEqual(["fuel", 0, FuelKind.DIESEL]);
  expect(within(await row("a")).getByText("Applied as no fuel")).toBeTruthy();
});

it("corrects the reading and the fuel together, after the question about the reading", async () => {
  const calls = await open([update("a", { ...fill, flags: ["jump", "fuel_high"] })]);
  await press("a", "Correct the value");
  const reading = await screen.findByLabelText(/^Correct reading of Excavator/);
  expect(document.activeElement).toBe(reading);
  fireEvent.change(reading, { target: { value: "48125" } });
  fireEvent.change(await fuelField(), { target: { value: "40" } });
  fireEvent.submit(reading);
  const dialog = await screen.findByRole("alertdialog", { name: "Much more than usual" });
  expect(calls).toEqual([]);
  fireEvent.click(within(dialog).getByRole("button", { name: "Apply 48,125 hours anyway" }));
  await gone("a");
  expect(calls).toEqual([
    ["apply", "a", 48_125],
    ["fuel", 40, FuelKind.DIESEL],
  ]);
});

it("offers the machine's own kind of fuel in place of a wrong one", async () => {
  const wrong = { ...fill, flags: ["wrong_fuel"] };
  const calls = await open([update("a", { ...pickup, ...wrong })]);
  await press("a", "Correct the value");
  const kind = await screen.findByLabelText<HTMLSelectElement>("Kind of fuel");
  expect(kind.value).toBe("gas");
  fireEvent.submit(kind);
  await gone("a");
  expect(calls[1]).toEqual(["fuel", 400, FuelKind.GAS]);
});

it("applies an increase as it was sent, with other fuel", async () => {
  const increase = { ...fill, newUsage: undefined, usageIncrease: 8 };
  const calls = await open([update("a", increase)]);
  await press("a", "Correct the value");
  fireEvent.change(await fuelField(), { target: { value: "40" } });
  fireEvent.submit(await fuelField());
  await gone("a");
  expect(calls[0]).toEqual(["apply", "a", null]);
});
