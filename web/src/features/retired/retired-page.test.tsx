import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import {
  EquipmentFuel,
  EquipmentService,
  EquipmentType,
  MeterUnit,
  RetiredEquipmentSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import * as files from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import { currentToast } from "#/shared/toast/store";
import { owner, renderApp, stubRest } from "#/test/render-app";
import { refusal } from "#/test/refusal";

const retired = (index: number, more: MessageInitShape<typeof RetiredEquipmentSchema> = {}) =>
  create(RetiredEquipmentSchema, {
    id: `r${index}`,
    originalEquipmentId: `e${index}`,
    name: `Machine ${index}`,
    type: EquipmentType.MACHINERY,
    unit: MeterUnit.HOURS,
    finalUsage: 1000 + index,
    fuel: EquipmentFuel.DIESEL,
    totalFuelUsed: 10.5,
    totalDieselUsed: 10.5,
    retiredBy: "Dana",
    retiredAt: timestampFromDate(new Date(2026, 0, 5, 12)),
    originalDateAdded: timestampFromDate(new Date(2020, 4, 1, 12)),
    ...more,
  });

const excavator = retired(1, {
  name: "Excavator",
  unitNumber: "EX-7",
  group: "Crew North",
  serialNumber: "=KMT",
  threshold: 12_000,
  serviceInterval: 250,
  lastServiceUsage: 900,
  retirementNotes: "Sold, cheap",
});

const limitReached = () => refusal(Code.PermissionDenied, "EQUIPMENT_LIMIT_REACHED");

async function open(
  archive: ReturnType<typeof retired>[],
  path = "/retired-equipment",
  failFrom = Infinity,
) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const state = { failFrom, restore: null as ConnectError | null };
  const restored: string[] = [];
  const requests: string[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, {
      listRetired: ({ page }) => {
        requests.push(`${page?.limit}@${page?.cursor}`);
        const from = Number(page?.cursor || 0);
        if (from >= state.failFrom) throw new ConnectError("The disk is full.", Code.Internal);
        const to = from + (page?.limit ?? 0);
        return {
          retired: archive.slice(from, to),
          page: { nextCursor: to < archive.length ? String(to) : "" },
        };
      },
      restoreEquipment: ({ id }) => {
        if (state.restore) throw state.restore;
        restored.push(id);
        archive.splice(
          archive.findIndex((row) => row.id === id),
          1,
        );
        return {};
      },
    });
  });
  const page = { state, restored, requests, ...(await renderApp(path, transport)) };
  await screen.findByRole("heading", { level: 1, name: "Retired Equipment" });
  return page;
}

const figure = (label: string) => screen.getByText(label).nextElementSibling?.textContent;
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

it("restores the selected machines, and keeps those that failed selected", async () => {
  const { restored, state } = await open([excavator, retired(2), retired(3)]);
  fireEvent.click(await screen.findByRole("button", { name: "Select" }));
  fireEvent.click(screen.getByRole("checkbox", { name: "Select Excavator" }));
  fireEvent.click(screen.getByRole("checkbox", { name: "Select Machine 3" }));
  await screen.findByText("2 machines selected");
  const bar = screen.getByRole("button", { name: "Done" }).parentElement ?? document.body;
  fireEvent.click(within(bar).getByRole("button", { name: "Restore" }));
  const dialog = within(await screen.findByRole("alertdialog", { name: "Restore 2 machines?" }));
  state.restore = limitReached();
  fireEvent.click(dialog.getByRole("button", { name: "Restore 2 machines" }));
  await dialog.findByText("2 machines were not changed:");
  expect(restored).toEqual([]);
  state.restore = null;
  fireEvent.click(dialog.getByRole("button", { name: "Try 2 machines again" }));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(restored).toEqual(["r1", "r3"]);
  await screen.findByText("Select 1 machine");
});

it("keeps the order in the address", async () => {
  const { router } = await open(
    [excavator, retired(2), retired(3)],
    "/retired-equipment?order=equipment.desc",
  );
  const names = () => screen.getAllByRole("link", { name: /^Excavator|^Machine/ });
  await screen.findByRole("link", { name: "Excavator" });
  expect(names().map((link) => link.textContent)).toEqual(["Machine 3", "Machine 2", "Excavator"]);
  press("Equipment");
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  press("Equipment");
  await waitFor(() => expect(router.state.location.search).toEqual({ order: "equipment" }));
});

it("is sorted on a phone by the same address", async () => {
  vi.stubGlobal("innerWidth", 390);
  const { router } = await open(
    [excavator, retired(2), retired(3)],
    "/retired-equipment?order=equipment.desc",
  );
  const names = () => screen.getAllByRole("link", { name: /^Excavator|^Machine/ });
  fireEvent.click(await screen.findByRole("button", { name: "Descending", pressed: true }));
  await waitFor(() => expect(router.state.location.search).toEqual({ order: "equipment" }));
  expect(names().map((link) => link.textContent)).toEqual(["Excavator", "Machine 2", "Machine 3"]);
  const by = screen.getByRole("combobox", { name: "Sort by" });
  fireEvent.change(by, { target: { value: "fuel" } });
  await waitFor(() => expect(router.state.location.search).toEqual({ order: "fuel" }));
  vi.unstubAllGlobals();
});

describe("on paper", () => {
  it("shows lifespan, interval and both kinds of fuel like the table", async () => {
    const print = vi.fn<() => void>();
    vi.stubGlobal("print", print);
    await open([{ ...excavator, totalFuelUsed: 14.5, totalGasUsed: 4 }]);
    await screen.findByRole("link", { name: "Excavator" });
    press("Print");
    await waitFor(() => expect(print).toHaveBeenCalledOnce());
    const paper = document.querySelector<HTMLElement>("body > [data-print-report]");
    const cells = within(paper ?? document.body).getAllByRole("cell", { hidden: true });
    expect(cells.map((cell) => cell.textContent)).toEqual([
      "EX-7 · ExcavatorMachinery=KMTCrew North",
      "1,001 hours",
      "12,000 hours",
      "250 hourslast at 900",
      "14.5 galGas 4.0 galDiesel 10.5 gal",
      "Sold, cheap",
      "Dana",
      "May 1, 2020",
      "Jan 5, 2026",
    ]);
    fireEvent(window, new Event("afterprint"));
  });
});

describe("the archive", () => {
  it("shows what was retired, when, why and by whom", async () => {
    await open([excavator, retired(2, { totalGasUsed: 4 })]);
    const link = await screen.findByRole("link", { name: "Excavator" });
    expect(link.getAttribute("href")).toBe("/equipment/item/e1");
    for (const text of [
      "1,001 hours",
      "of 12,000 hours lifespan",
      "Sold, cheap",
      "Gas 4.0 gal, diesel 10.5 gal",
      "No retirement notes",
    ]) {
      expect(screen.getByText(text)).toBeTruthy();
    }
    expect(screen.getAllByText("Retired Jan 5, 2026").length).toBe(2);
    expect(screen.getAllByText("Added May 1, 2020").length).toBe(2);
    expect(figure("Total retired")).toBe("2");
    expect(figure("Total fuel used")).toBe("21.0 gal");
    expect(figure("With retirement notes")).toBe("1");
  });

  it("has an empty state, and nothing to export", async () => {
    const download = vi.spyOn(files, "download").mockImplementation(() => undefined);
    await open([]);
    expect(await screen.findByText("No retired equipment")).toBeTruthy();
    expect(figure("Total fuel used")).toBe("0.0 gal");
    press("Export CSV");
    expect(currentToast()).toMatchObject({
      tone: "failure",
      title: "No Retired Equipment to Export",
    });
    expect(download).not.toHaveBeenCalled();
  });

  it("loads all of a large archive, a hundred at a time", async () => {
    const { requests } = await open(Array.from({ length: 230 }, (_, index) => retired(index)));
    // jsdom has no layout, so all rows are rendered.
    await waitFor(() => expect(figure("Total retired")).toBe("230"));
    await waitFor(() => expect(screen.queryByText(/so far/)).toBeNull());
    expect(requests).toEqual(["100@", "100@100", "100@200"]);
    expect(figure("Total fuel used")).toBe("2,415.0 gal");
  });

  it("shows what is missing when a later page fails, and continues from there", async () => {
    const archive = Array.from({ length: 150 }, (_, index) => retired(index));
    const { state, requests } = await open(archive, "/retired-equipment", 100);
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The rest of the archive could not be loaded.");
    expect(figure("Total retired")).toBe("100");
    expect(screen.getByText(/^100 so far/)).toBeTruthy();
    press("Export CSV");
    expect(currentToast()).toBeNull();
    state.failFrom = Infinity;
    press("Try again");
    await waitFor(() => expect(figure("Total retired")).toBe("150"));
    expect(requests).toEqual(["100@", "100@100", "100@100"]);
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("shows a failure once, with a retry", async () => {
    const archive = [excavator];
    const { state, queryClient } = await open(archive);
    await screen.findByRole("link", { name: "Excavator" });
    state.failFrom = 0;
    await queryClient.invalidateQueries();
    expect((await screen.findByRole("alert")).textContent).toContain("The disk is full.");
    state.failFrom = Infinity;
    press("Try again");
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  });

  it("searches, offers Clear search, and keeps the search in the URL", async () => {
    const { router } = await open([excavator, retired(2)]);
    const field = await screen.findByRole("searchbox");
    fireEvent.change(field, { target: { value: "excav" } });
    expect(await screen.findByText("1 of 2 pieces of equipment")).toBeTruthy();
    press("Clear");
    await waitFor(() => expect(screen.queryByText("1 of 2 pieces of equipment")).toBeNull());
    fireEvent.change(field, { target: { value: "zzz" } });
    expect(await screen.findByText("No matches")).toBeTruthy();
    expect(router.state.location.search).toEqual({ search: "zzz" });
    press("Clear search");
    expect(await screen.findByRole("link", { name: "Excavator" })).toBeTruthy();
    expect(screen.getByRole("searchbox")).toHaveProperty("value", "");
  });
});

describe("the export", () => {
  it("contains the rows on screen, safe for a spreadsheet", async () => {
    const download = vi.spyOn(files, "download").mockImplementation(() => undefined);
    await open([excavator, retired(2)], "/retired-equipment?search=sold");
    await screen.findByRole("link", { name: "Excavator" });
    press("Export CSV");
    expect(download).toHaveBeenCalledOnce();
    const [name, text] = download.mock.calls[0] ?? [];
    expect(name).toBe(`retired-equipment-${fileDate(new Date())}.csv`);
    expect(text?.split("\r\n")).toEqual([
      "\uFEFFName,Type,Serial Number,Unit,Final Usage,Threshold,Service Interval,Last Service Usage,Fuel Type,Total Fuel Used (gal),Gas Used (gal),Diesel Used (gal),Retirement Notes,Retired By,Date Added,Date Retired,Unit number,Group",
      `Excavator,Machinery,'=KMT,hours,1001,12000,250,900,Diesel,10.5,0,10.5,"Sold, cheap",Dana,2020-05-01,2026-01-05,EX-7,Crew North`,
      "",
    ]);
    expect(currentToast()?.title).toBe("Export Complete");
  });
});

describe("Restore", () => {
  it("asks first, then restores it", async () => {
    const { restored } = await open([excavator, retired(2)]);
    fireEvent.click(await screen.findByRole("button", { name: "Restore Excavator" }));
    const question = screen.getByRole("alertdialog", { name: "Restore Excavator?" });
    fireEvent.click(within(question).getByRole("button", { name: "Restore equipment" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Equipment restored"));
    expect(restored).toEqual(["r1"]);
    await waitFor(() => expect(screen.queryByRole("link", { name: "Excavator" })).toBeNull());
    expect(figure("Total retired")).toBe("1");
  });

  it("explains that the plan's limit is reached, and links to the plans", async () => {
    const { state } = await open([excavator]);
    state.restore = limitReached();
    fireEvent.click(await screen.findByRole("button", { name: "Restore Excavator" }));
    press("Restore equipment");
    const refusal = await screen.findByRole("alert");
    expect(refusal.textContent).toContain("limit");
    expect(within(refusal).getByRole("link", { name: "See plans" }).getAttribute("href")).toBe(
      "/subscription",
    );
    expect(currentToast()).toBeNull();
  });
});
