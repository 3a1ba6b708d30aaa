import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { EquipmentFuel, FuelKind } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentToast } from "#/shared/toast/store";
import { day, excavator, id, openDetail, record, world, type World } from "./detail.fixture";

const files: Array<{ name: string; text: string }> = [];
vi.mock("#/shared/csv/download", () => ({
  download: (name: string, text: string) => files.push({ name, text }),
}));

beforeEach(() => {
  files.length = 0;
});

const open = (state: World) => openDetail(state, "?tab=fuel");
const fill = { fuelAdded: 42.5, fuelKind: FuelKind.DIESEL };

describe("the totals", () => {
  it("are the equipment's own without fuel analytics, with a link to upgrade", async () => {
    await open(world());
    expect(await screen.findByText("62.5 gal")).toBeTruthy();
    expect(screen.getByText("20.0 gal")).toBeTruthy();
    expect(screen.getByText("42.5 gal")).toBeTruthy();
    expect(screen.getByText("Start with a free trial • Cancel anytime")).toBeTruthy();
    const link = screen.getByRole("link", { name: "Upgrade" });
    expect(link.getAttribute("href")).toBe("/subscription");
    expect(screen.queryByText("Consumption")).toBeNull();
  });

  it("include consumption and months if the plan includes fuel analytics", async () => {
    await open(world({ analytics: true }));
    expect(await screen.findByText("100.0 gal")).toBeTruthy();
    expect(screen.getByText("Consumption")).toBeTruthy();
    expect(screen.getByText("3.42 gal/h")).toBeTruthy();
    expect(screen.getByText("over 6 fills, 1 excluded")).toBeTruthy();
    const months = within(
      screen.getByRole("heading", { name: "Fuel by month" }).closest("section") ?? document.body,
    );
    expect(months.getByRole("listitem").textContent).toContain("40.0 gal gas · 60.0 gal diesel");
    expect(screen.queryByRole("link", { name: "Upgrade" })).toBeNull();
  });
});

it("does not show a fuel that the machine does not use", async () => {
  await open(world({ equipment: excavator({ fuel: EquipmentFuel.DIESEL, totalGasUsed: 0 }) }));
  expect(await screen.findByText("Diesel", { selector: "dt" })).toBeTruthy();
  expect(screen.queryByText("Gas", { selector: "dt" })).toBeNull();
});

describe("the entries", () => {
  it("are limited to entries with fuel", async () => {
    await open(world({ records: [record({ id: "a", ...fill }), record({ id: "b", usage: 7 })] }));
    const list = await screen.findByRole("list", { name: "Fuel entries" });
    expect(within(list).getAllByRole("listitem")).toHaveLength(1);
    expect(list.textContent).toContain("42.5 gal diesel");
  });

  it("are marked as full fills, and as unusual if the plan includes fuel analytics", async () => {
    const records = [
      record({ id: "unusual", ...fill, fullFill: true }),
      record({ id: "usual", ...fill }),
    ];
    await open(world({ analytics: true, records }));
    const list = await screen.findByRole("list", { name: "Fuel entries" });
    await within(list).findByText("Unusual fill");
    const [unusual, usual] = within(list).getAllByRole("listitem");
    expect(unusual?.textContent).toContain("42.5 gal diesel, filled up");
    expect(usual?.textContent).not.toMatch(/filled up|Unusual/);
  });

  it("are exported without the voided ones", async () => {
    const voiding = { by: "Ana", reason: "x", at: day("2026-11-20") };
    await open(
      world({
        records: [
          record({ id: "a", ...fill, fullFill: true, content: "yard", group: "Crew North" }),
          record({ id: "b", ...fill, voiding }),
          record({ id: "c", ...fill, content: "Medidor cambiado" }),
        ],
      }),
    );
    await screen.findByRole("list", { name: "Fuel entries" });
    fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Export Complete"));
    expect(files[0]?.name).toMatch(new RegExp(`^fuel-usage-export-${id}-[0-9-]{10}\\.csv$`));
    expect(files[0]?.text.split("\r\n")).toEqual([
      "\uFEFFDate,Equipment,Operator,Fuel Type,Fuel Added (gal),Notes,Filled Up,Group,Correction",
      "2026-11-20 12:00,Excavator,Maria López,Diesel,42.5,yard,Yes,Crew North,",
      "2026-11-20 12:00,Excavator,Maria López,Diesel,42.5,Meter replaced,,,",
      "",
    ]);
  });

  it("are exported if they are selected", async () => {
    await open(
      world({
        records: [
          record({ id: "a", ...fill, content: "yard" }),
          record({ id: "b", ...fill, content: "site" }),
        ],
      }),
    );
    fireEvent.click(await screen.findByRole("button", { name: "Select" }));
    const [, second] = screen.getAllByRole("checkbox", { name: /^Select 42.5 gal diesel/ });
    fireEvent.click(second ?? document.body);
    await screen.findByText("1 entry selected");
    const bar = screen.getByRole("button", { name: "Done" }).parentElement ?? document.body;
    fireEvent.click(within(bar).getByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(files[0]?.text).toContain(",site,"));
    expect(files[0]?.text).not.toContain(",yard,");
  });

  it("are refused for export when there are none", async () => {
    await open(world());
    expect(await screen.findByText("No fuel entries yet")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(currentToast()?.title).toBe("No Data to Export"));
  });
});
