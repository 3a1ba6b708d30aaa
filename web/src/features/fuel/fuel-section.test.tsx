import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { useState } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import {
  BillingService,
  SubscriptionStatus,
  Tier,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import {
  EquipmentService,
  FuelKind,
  GetFuelSummaryResponseSchema,
  MeterUnit,
  type GetFuelSummaryResponse,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentPrintJob } from "#/shared/print/store";
import { currentToast } from "#/shared/toast/store";
import { stubRest } from "#/test/render-app";
import { renderRouted } from "#/test/render-routed";
import { FuelSection } from "./fuel-section";
import type { FuelRange } from "./range-search";

const { download } = vi.hoisted(() => ({
  download: vi.fn<(name: string, text: string) => void>(),
}));
vi.mock("#/shared/csv/download", () => ({ download }));

const names = ["Loader", "Truck", "Saw", "Pump", "Roller", "Crane"];
const summary = (more: MessageInitShape<typeof GetFuelSummaryResponseSchema> = {}) =>
  create(GetFuelSummaryResponseSchema, {
    total: 318.24,
    gas: 100,
    diesel: 218.24,
    byEquipment: names.map((equipmentName, index) => ({
      equipmentId: `e${index}`,
      equipmentName,
      total: 100 - index,
      diesel: 100 - index,
      unit: index === 1 ? MeterUnit.MILES : MeterUnit.HOURS,
      ...(index === 0 ? { consumption: { fuel: 23.51, usage: 10, fills: 6, excluded: 1 } } : {}),
      ...(index === 1 ? { consumption: { fuel: 10, usage: 184, fills: 0 } } : {}),
      retired: index === 4,
      ...(index === 1 ? { unitNumber: "T-7" } : {}),
    })),
    byMonth: [
      { month: "2025-12", gas: 100, diesel: 18.2 },
      { month: "2026-01" },
      { month: "2026-02", diesel: 200.04 },
    ],
    ...more,
  });

const row = (date: string, equipmentName: string, notes = "") => ({
  date,
  equipmentId: "e0",
  equipmentName,
  group: "Crew North",
  operatorName: "Maria Lopez",
  fuelType: "diesel",
  fuelAdded: 12.5,
  fullFill: true,
  notes,
});

async function open({
  fuelAnalytics = true,
  plan = {},
  answer = summary(),
  rows = [row("2026-02-03T12:00:00Z", "Loader", "=1+1"), row("2020-01-01T12:00:00Z", "Old truck")],
  before,
  start = {},
}: {
  fuelAnalytics?: boolean;
  plan?: { status?: SubscriptionStatus; tier?: Tier };
  answer?: GetFuelSummaryResponse;
  /** The figures of January 2026. */
  before?: GetFuelSummaryResponse;
  rows?: ReturnType<typeof row>[];
  start?: Partial<FuelRange>;
} = {}) {
  const requests: unknown[] = [];
  const state = { answer, fail: null as ConnectError | null, resets: 0 };
  const rest = stubRest({
    "GET /api/fuel-usage/export": { status: 200, body: rows },
  });
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, { getCompanySettings: () => ({ settings: { timeZone: "UTC" } }) });
    service(BillingService, {
      getSubscription: () => ({ subscription: { entitlements: { fuelAnalytics, ...plan } } }),
    });
    service(EquipmentService, {
      listHistory: ({ fuelOnly, page }) => ({
        records: fuelOnly
          ? rows.slice(0, page?.limit).map((each, index) => ({
              id: `h${index}`,
              equipmentId: each.equipmentName,
              equipmentName: each.equipmentName,
              fuelAdded: each.fuelAdded,
              fuelKind: FuelKind.DIESEL,
              ...(each.notes === "void" ? { voiding: { reason: "typo" } } : {}),
            }))
          : [],
      }),
      getFuelSummary: ({ from, to }) => {
        requests.push([from, to]);
        return before && to === "2026-01-31" ? before : state.answer;
      },
      resetFuel: () => {
        state.resets += 1;
        if (state.fail) throw state.fail;
        state.answer = summary({ total: 0, byEquipment: [], byMonth: [] });
        return {};
      },
    });
  });
  function Part() {
    const [range, setRange] = useState<FuelRange>({
      fuel: undefined,
      fuelFrom: undefined,
      fuelTo: undefined,
      ...start,
    });
    return <FuelSection range={range} onRange={setRange} />;
  }
  await renderRouted(<Part />, transport);
  await screen.findByRole("heading", { name: /^Fuel analytics/ });
  return { requests, state, rest };
}

const button = (name: string) => screen.findByRole("button", { name });

beforeEach(() => {
  download.mockClear();
});

describe("without fuel analytics in the plan", () => {
  it.each([
    [Tier.PROFESSIONAL, "Resume now", "Your subscription is paused."],
    [Tier.BASIC, "Upgrade", "Start with a free trial • Cancel anytime"],
  ])("links a paused plan of tier %i to: %s", async (tier, action, text) => {
    await open({ fuelAnalytics: false, plan: { status: SubscriptionStatus.PAUSED, tier } });
    expect(await screen.findByRole("link", { name: action })).toBeTruthy();
    expect(screen.getByText(text)).toBeTruthy();
  });

  it("shows the banner with its exact text and a link to the plans, without requests", async () => {
    const { requests } = await open({ fuelAnalytics: false });
    expect(await screen.findByText("Start with a free trial • Cancel anytime")).toBeTruthy();
    const upgrade = screen.getByRole("link", { name: "Upgrade" });
    expect(upgrade.getAttribute("href")).toBe("/subscription");
    expect(requests).toEqual([]);
  });

  it("previews the top consumers of the latest entries, without voided ones", async () => {
    const date = "2026-02-03T12:00:00Z";
    const used = ["Loader", "Truck", "Truck", "Saw", "Saw", "Saw", "Pump"];
    await open({
      fuelAnalytics: false,
      rows: [...used.map((name) => row(date, name)), ...used.map(() => row(date, "Crane", "void"))],
    });
    const list = await screen.findByRole("list", { name: "Top consumers" });
    expect(
      within(list)
        .getAllByRole("link")
        .map((link) => link.textContent),
    ).toEqual(["Saw", "Truck", "Loader"]);
    expect(list.textContent).toContain("37.5 gal");
    expect(screen.getByText("Top consumers of your latest 7 fuel entries.")).toBeTruthy();
  });

  it("has no preview without an entry", async () => {
    await open({ fuelAnalytics: false, rows: [] });
    await screen.findByText("Nothing to reset: the total is 0.");
    expect(screen.queryByText("Preview with your machines")).toBeNull();
  });

  it("exports every entry, since the file belongs to every plan", async () => {
    await open({ fuelAnalytics: false });
    fireEvent.click(await button("Export"));
    await waitFor(() => expect(currentToast()?.title).toBe("Export Complete"));
    const text = download.mock.calls[0]?.[1];
    expect(text).toMatch(/Loader.*\r\n.*Old truck/);
    expect(text).not.toContain("Consumption");
  });

  it("resets the totals, unless there was never any fuel", async () => {
    const { state } = await open({ fuelAnalytics: false });
    const reset = await button("Reset");
    await waitFor(() => expect(reset.getAttribute("aria-disabled")).not.toBe("true"));
    fireEvent.click(reset);
    const question = await screen.findByRole("alertdialog", { name: "Reset the fuel data?" });
    expect(question.textContent).toMatch(/all equipment go to 0/);
    fireEvent.click(within(question).getByRole("button", { name: "Reset fuel data" }));
    await waitFor(() => expect(state.resets).toBe(1));
  });

  it("has nothing to reset without an entry", async () => {
    await open({ fuelAnalytics: false, rows: [] });
    expect(await screen.findByText("Nothing to reset: the total is 0.")).toBeTruthy();
  });
});

describe("fuel analytics", () => {
  it("shows totals with one decimal, and months in a chart and a table", async () => {
    await open();
    expect(await screen.findByText("318.2 gal")).toBeTruthy();
    const table = screen.getByRole("table", { name: "Fuel by month", hidden: true });
    const rows = within(table).getAllByRole("row", { hidden: true });
    expect(rows.map((each) => each.textContent)).toEqual([
      "MonthGasDieselTotal",
      "Feb 20260.0 gal200.0 gal200.0 gal",
      "Jan 20260.0 gal0.0 gal0.0 gal",
      "Dec 2025100.0 gal18.2 gal118.2 gal",
    ]);
    expect(screen.getByRole("region", { name: "Fuel by month" })).toBeTruthy();
  });

  it("lists the top five, with their consumption if known", async () => {
    await open();
    const list = await screen.findByRole("list", { name: "Top consumers" });
    const items = within(list).getAllByRole("listitem");
    expect(items).toHaveLength(5);
    expect(items[0]?.textContent).toContain("2.35 gal/h · over 6 fills, 1 excluded");
    expect(items[1]?.textContent).toContain("18.4 MPG · estimate, too few full fills");
    expect(items[2]?.textContent).toContain("—Consumption unknown");
    expect(items[4]?.textContent).toContain("Retired");
    expect(screen.getByText(/^— The meter did not increase/)).toBeTruthy();
    const link = within(list).getByRole("link", { name: "Loader" });
    expect(link.getAttribute("href")).toBe("/equipment/item/e0?tab=fuel");
    expect(within(list).getByRole("link", { name: "T-7 Truck" })).toBeTruthy();
  });

  it("lists the other consumers on request", async () => {
    await open();
    const list = within(await screen.findByRole("list", { name: "Top consumers" }));
    fireEvent.click(screen.getByRole("button", { name: "Show all (6)" }));
    expect(list.getAllByRole("listitem")).toHaveLength(6);
    fireEvent.click(screen.getByRole("button", { name: "Show fewer" }));
    expect(list.getAllByRole("listitem")).toHaveLength(5);
  });

  it("has nothing to expand with five consumers", async () => {
    await open({ answer: summary({ byEquipment: summary().byEquipment.slice(0, 5) }) });
    await screen.findByRole("list", { name: "Top consumers" });
    expect(screen.queryByRole("button", { name: /^Show all/ })).toBeNull();
  });

  it("counts since the last reset until another range is chosen", async () => {
    const began = timestampFromDate(new Date("2026-01-05T12:00:00Z"));
    const { requests } = await open({ answer: summary({ periodBeganAt: began }) });
    expect(await screen.findByText("Since the reset on Jan 5, 2026.")).toBeTruthy();
    expect(requests).toEqual([["", ""]]);
    fireEvent.change(screen.getByLabelText("Period"), { target: { value: "year" } });
    const year = new Date().getUTCFullYear();
    await waitFor(() => expect(requests).toContainEqual([`${year}-01-01`, expect.any(String)]));
  });

  it.each([
    [300, /^6% more than Jan 1(, 2026)? – Jan 31(, 2026)? \(300.0 gal\)$/],
    [636.48, /^50% less than/],
    [318.3, /^As much as Jan 1(, 2026)? – Jan 31(, 2026)?$/],
    [0, /^No fuel reported Jan 1(, 2026)? – Jan 31(, 2026)?$/],
  ])("compares the total with %d gal in the days before", async (total, text) => {
    const start = { fuel: "custom", fuelFrom: "2026-02-01", fuelTo: "2026-03-03" } as const;
    const { requests } = await open({ start, before: summary({ total }) });
    expect(await screen.findByText(text)).toBeTruthy();
    expect(requests).toContainEqual(["2026-01-01", "2026-01-31"]);
  });

  it("compares a single day with the day before", async () => {
    const start = { fuel: "custom", fuelFrom: "2026-02-01", fuelTo: "2026-02-01" } as const;
    await open({ start, before: summary({ total: 0 }) });
    expect(await screen.findByText(/^No fuel reported Jan 31(, 2026)?$/)).toBeTruthy();
  });

  it("sends no request while custom dates are reversed", async () => {
    const start = { fuel: "custom", fuelFrom: "2026-01-01", fuelTo: "2026-01-31" } as const;
    const { requests } = await open({ start });
    await waitFor(() => expect(requests).toContainEqual(["2025-12-01", "2025-12-31"]));
    const before = requests.length;
    fireEvent.change(screen.getByLabelText("From"), { target: { value: "2026-02-01" } });
    expect((await screen.findByRole("alert")).textContent).toMatch(/must not be after/);
    expect(requests).toHaveLength(before);
    fireEvent.change(screen.getByLabelText("To"), { target: { value: "2026-02-28" } });
    await waitFor(() => expect(requests).toContainEqual(["2026-02-01", "2026-02-28"]));
  });

  it("shows different texts for no fuel and no fuel in this period", async () => {
    await open({ answer: summary({ total: 0 }) });
    expect(await screen.findByText("No fuel reported yet")).toBeTruthy();
    fireEvent.change(screen.getByLabelText("Period"), { target: { value: "30-days" } });
    expect(await screen.findByText("No fuel in this period")).toBeTruthy();
  });
});

describe("the fuel export", () => {
  it("contains the entries of the selected range, and the rest of its totals", async () => {
    const start = { fuel: "custom", fuelFrom: "2026-01-01", fuelTo: "2026-12-31" } as const;
    await open({ start, answer: summary({ gas: 0, diesel: 20 }) });
    fireEvent.click(await button("Export"));
    await waitFor(() => expect(currentToast()?.title).toBe("Export Complete"));
    const [name, text] = download.mock.calls[0] ?? [];
    expect(name).toMatch(/^fuel-usage-export-\d{4}-\d\d-\d\d\.csv$/);
    expect(text).toBe(
      "\uFEFFDate,Equipment,Operator,Fuel Type,Fuel Added (gal),Notes,Filled Up,Consumption,Group\r\n" +
        '2026-02-03,Loader,Maria Lopez,Diesel,12.5,\'=1+1,Yes,"2.35 gal/h, over 6 fills, 1 excluded",Crew North\r\n' +
        ",Deleted equipment,,Diesel,7.5,,,,\r\n",
    );
  });

  it("has an operator's note of a replaced meter in the reader's language", async () => {
    await open({ rows: [row(new Date().toISOString(), "Loader", "Medidor cambiado")] });
    fireEvent.click(await button("Export"));
    await waitFor(() => expect(download.mock.calls[0]?.[1]).toContain(",Meter replaced,"));
  });

  it("prints the same entries", async () => {
    const start = { fuel: "custom", fuelFrom: "2026-01-01", fuelTo: "2026-12-31" } as const;
    await open({ start, answer: summary({ gas: 0, diesel: 20 }) });
    fireEvent.click(await button("Print"));
    await waitFor(() => expect(currentPrintJob()?.title).toBe("Fuel records"));
    expect(currentPrintJob()).toMatchObject({ note: "From Jan 1, 2026 · To Dec 31, 2026" });
    expect(currentPrintJob()?.rows.map((row) => row[1])).toEqual(["Loader", "Deleted equipment"]);
    expect(download).not.toHaveBeenCalled();
  });

  it("prints days and amounts as on screen, and names the reset that they count from", async () => {
    const periodBeganAt = timestampFromDate(new Date("2026-02-01T12:00:00Z"));
    const diesel = 1512.5;
    await open({
      answer: summary({ periodBeganAt, gas: 0, diesel }),
      rows: [{ ...row("2026-02-03T12:00:00Z", "Loader"), fuelAdded: diesel }],
    });
    await screen.findByText("Since the reset on Feb 1, 2026.");
    fireEvent.click(await button("Print"));
    await waitFor(() => expect(currentPrintJob()?.note).toBe("Since the reset on Feb 1, 2026."));
    const [printed] = currentPrintJob()?.rows ?? [];
    expect(printed?.[0]).toBe("Feb 3, 2026");
    expect(printed?.[4]).toBe("1,512.5");
  });

  it("'No Data to Export' when there is none", async () => {
    await open({ rows: [], answer: summary({ gas: 0, diesel: 0 }) });
    fireEvent.click(await button("Export"));
    await waitFor(() => expect(currentToast()?.title).toBe("No Data to Export"));
    expect(download).not.toHaveBeenCalled();
  });
});

describe("the fuel reset", () => {
  const confirm = async () => {
    await screen.findByText("318.2 gal");
    fireEvent.click(await button("Reset"));
    const question = await screen.findByRole("alertdialog", { name: "Reset the fuel data?" });
    expect(question.textContent).toMatch(/from 318.2 gal to 0.*The history is kept/);
    fireEvent.click(within(question).getByRole("button", { name: "Reset fuel data" }));
  };

  it("asks first, shows 'Fuel Data Reset', and is then disabled at 0 with the reason", async () => {
    const { state } = await open();
    await confirm();
    await waitFor(() => expect(currentToast()?.title).toBe("Fuel Data Reset"));
    expect(state.resets).toBe(1);
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect((await button("Reset")).getAttribute("aria-disabled")).toBe("true");
    expect(screen.getByText("Nothing to reset: the total is 0.")).toBeTruthy();
  });

  it("shows 'Reset Failed' with the server's message", async () => {
    const { state } = await open();
    state.fail = new ConnectError("The books are closed.", Code.FailedPrecondition);
    await confirm();
    await waitFor(() => expect(currentToast()?.title).toBe("Reset Failed"));
    expect(currentToast()?.description).toBe("The books are closed.");
  });

  it("shows 'Failed to reset fuel data' without a message", async () => {
    const { state } = await open();
    state.fail = new ConnectError("", Code.Internal);
    await confirm();
    await waitFor(() => expect(currentToast()?.description).toBe("Failed to reset fuel data"));
  });
});
