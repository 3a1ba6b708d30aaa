import { fireEvent, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import {
  EquipmentFuel,
  HistoryKind,
  HistoryOrder,
  type ListHistoryRequest,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dayIn } from "#/domain/calendar";
import { excavator, openDetail, record, world } from "./detail.fixture";
import { lastMonths } from "./month-figures";

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
const today = dayIn(timeZone, new Date());

const serviced = () => [
  record({ id: "s1", kind: HistoryKind.SERVICE, performedOn: today, cost: 125.5 }),
];

it("draws cost and fuel by month, and lists both in a table", async () => {
  const state = world({ analytics: true, records: serviced() });
  const requests: ListHistoryRequest[] = [];
  state.onHistory = (request) => requests.push(request);
  const month = today.slice(0, 7);
  state.fuelMonths = [{ month, gas: 0, diesel: 60 }];
  await openDetail(state);
  const table = within(await screen.findByRole("table", { name: "Cost and fuel" }));
  expect(table.getAllByRole("row")).toHaveLength(14);
  expect(table.getAllByRole("columnheader").map((cell) => cell.textContent)).toEqual([
    "Month",
    "Cost",
    "Diesel",
  ]);
  const [, newest] = table.getAllByRole("row");
  expect(newest?.textContent).toContain("$125.5060.0 gal");
  expect(
    screen.getByRole("img", { name: /^Cost by month, .*: \$125\.50 in total\.$/ }),
  ).toBeTruthy();
  expect(
    screen.getByRole("img", { name: /^Diesel by month, .*: 60\.0 gal in total\.$/ }),
  ).toBeTruthy();
  // By the day of the service, and no longer than a year.
  expect(requests).toContainEqual(
    expect.objectContaining({
      kinds: [HistoryKind.SERVICE],
      order: HistoryOrder.CAPTURED,
      from: `${lastMonths(today, 12)[0]}-01`,
    }),
  );
});

it("says where a cost is entered if there is none, and what fuel by month needs", async () => {
  await openDetail(world());
  expect(await screen.findByText(/^No cost in the last 12 months/)).toBeTruthy();
  expect(screen.getByText(/month by month with fuel analytics/)).toBeTruthy();
  expect(screen.queryByRole("table", { name: "Cost and fuel" })).toBeNull();
});

it("does not mention fuel of a machine without fuel", async () => {
  const equipment = excavator({ fuel: EquipmentFuel.NOT_APPLICABLE, totalFuelUsed: 0 });
  await openDetail(world({ equipment, records: serviced() }));
  await screen.findByRole("table", { name: "Cost and fuel" });
  expect(screen.queryByText(/fuel analytics/)).toBeNull();
});

it("offers no upgrade while the plan could not be loaded, and loads it again", async () => {
  const state = world({ analytics: true, records: serviced(), subscriptionFails: true });
  await openDetail(state);
  await screen.findByText("Cost and fuel could not be loaded.");
  expect(screen.queryByText(/month by month with fuel analytics/)).toBeNull();
  state.subscriptionFails = false;
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("table", { name: "Cost and fuel" });
  expect(screen.queryByText(/month by month with fuel analytics/)).toBeNull();
});
