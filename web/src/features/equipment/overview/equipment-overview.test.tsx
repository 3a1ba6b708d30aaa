import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import {
  EquipmentOrder,
  EquipmentSchema,
  EquipmentService,
  EquipmentType,
  MeterUnit,
  OperationalStatus,
  ServiceStatus,
  type Equipment,
  type ListEquipmentRequest,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { currentToast } from "#/shared/toast/store";
import { catchDownloads } from "#/test/catch-downloads";
import { owner, renderApp, stubRest } from "#/test/render-app";

const piece = (id: string, name: string, more: MessageInitShape<typeof EquipmentSchema>) =>
  create(EquipmentSchema, { id, name, unit: MeterUnit.HOURS, ...more });

const fleet = () => [
  piece("71aa02f4-0000", "Excavator", {
    serviceStatus: ServiceStatus.OVERDUE,
    currentUsage: 4812.5,
    meterReading: 4812.5,
    serviceInterval: 250,
    usagePercent: 125,
    nextServiceDueUsage: 4750,
    remainingUsage: 0,
  }),
  piece("9f31c0de-0000", "Compressor", { serviceStatus: ServiceStatus.GOOD }),
];

async function open(list: Equipment[], path = "/", more: { matching?: number } = {}) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const calls: unknown[] = [];
  const requests: ListEquipmentRequest[] = [];
  const state = { fail: false };
  const record = (call: unknown) => {
    calls.push(call);
    if (state.fail) throw new ConnectError("The disk is full.", Code.Internal);
  };
  const transport = createRouterTransport(({ service }) => {
    service(OperatorUpdatesService, { listUpdates: () => ({}) });
    service(EquipmentService, {
      listEquipment: (request) => {
        requests.push(request);
        return { equipment: list, matching: list.length, ...more };
      },
      getSummary: () => ({ total: list.length, equipmentLimit: 30 }),
      recordUsage: ({ id, usageIncrease }) => {
        record(["usage", id, usageIncrease]);
        return {
          equipment: piece(id, "Excavator", { currentUsage: 4820.5, meterReading: 4820.5 }),
        };
      },
      retireEquipment: ({ id, retirementNotes }) => {
        record(["retire", id, retirementNotes]);
        return {};
      },
      deleteEquipment: ({ id }) => {
        record(["delete", id]);
        return {};
      },
    });
  });
  const { router } = await renderApp(path, transport);
  await screen.findByRole("heading", { name: "Equipment Overview" });
  return { calls, requests, state, router };
}

const table = () => screen.findByRole("table", { name: "Equipment Overview" });

async function openMenu(name: string) {
  const trigger = await screen.findByRole("button", { name: `Actions for ${name}` });
  fireEvent.keyDown(trigger, { key: "Enter" });
  return screen.findByRole("menu");
}

const choose = async (name: string, item: string) =>
  fireEvent.click(within(await openMenu(name)).getByRole("menuitem", { name: item }));

describe("the list", () => {
  it("requests the most urgent first and shows the remaining usage in words", async () => {
    const { requests } = await open(fleet());
    const rows = within(await table())
      .getAllByRole("row")
      .slice(1);
    expect(rows.map((row) => within(row).getAllByRole("cell")[0]?.textContent)).toEqual([
      "Excavator71aa02f4",
      "Compressor9f31c0de",
    ]);
    expect(screen.getByText("overdue by 62.5 hours")).toBeTruthy();
    expect(screen.getByText("No schedule")).toBeTruthy();
    expect(requests[0]).toMatchObject({
      order: EquipmentOrder.URGENCY,
      descending: false,
      page: { limit: 100 },
    });
  });

  it("is one line a machine; the documented columns are chosen from the menu", async () => {
    await open(fleet());
    const headings = async () =>
      within(await table())
        .getAllByRole("columnheader")
        .map((heading) => heading.textContent);
    expect(await headings()).toEqual([
      "Equipment",
      "Current Usage",
      "Next Service",
      "Service Status",
      "Actions",
    ]);
    fireEvent.keyDown(screen.getByRole("button", { name: "View" }), { key: "Enter" });
    for (const column of ["Type", "Fuel Type", "Threshold", "Status", "Last Updated"]) {
      fireEvent.click(await screen.findByRole("menuitemcheckbox", { name: column }));
    }
    fireEvent.keyDown(screen.getByRole("menu"), { key: "Escape" });
    await waitFor(async () =>
      expect(await headings()).toEqual([
        "Equipment",
        "Type",
        "Fuel Type",
        "Current Usage",
        "Threshold",
        "Status",
        "Next Service",
        "Service Status",
        "Last Updated",
        "Actions",
      ]),
    );
    const link = screen.getByRole("link", { name: "Excavator" });
    expect(link.getAttribute("href")).toBe("/equipment/item/71aa02f4-0000");
  });

  it("names a task that is more urgent than the regular service", async () => {
    await open([
      piece("a", "Truck", {
        serviceStatus: ServiceStatus.OVERDUE,
        currentUsage: 4812.5,
        meterReading: 4812.5,
        serviceInterval: 1000,
        usagePercent: 12,
        remainingUsage: 880,
        urgentTask: {
          name: "Oil filter",
          status: ServiceStatus.OVERDUE,
          nextDueUsage: 4792.5,
          remainingUsage: 0,
        },
      }),
    ]);
    const due = await screen.findByText("overdue by 20 hours");
    expect(due.closest("td")?.textContent).toBe("overdue by 20 hoursOil filter");
    expect(screen.queryByText("880 hours until service")).toBeNull();
  });

  it("shows how old a reading is, and never a machine without a recent one as good", async () => {
    await open([
      piece("a", "Truck", {
        serviceStatus: ServiceStatus.GOOD,
        serviceInterval: 250,
        meterAgeDays: 21,
        meterReadAt: timestampFromDate(new Date(2025, 0, 5, 12)),
        stale: true,
      }),
      piece("b", "Loader", {
        serviceStatus: ServiceStatus.OVERDUE,
        serviceInterval: 250,
        meterAgeDays: 30,
        stale: true,
        operationalStatus: OperationalStatus.IN_USE,
      }),
      piece("c", "Dozer", { operationalStatus: OperationalStatus.IN_SHOP }),
    ]);
    const [, truck, loader, dozer] = within(await table()).getAllByRole("row");
    expect(truck?.textContent).toContain("read 21 days ago");
    expect(truck?.textContent).toContain("No recent reading");
    expect(truck?.textContent).not.toContain("Good");
    expect(loader?.textContent).toContain("never read");
    expect(loader?.textContent).toContain("OverdueNo recent reading");
    expect(dozer?.textContent).toContain("In the shop");
  });

  it("shows when a service is probably due", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-26T18:00:00Z") });
    await open([
      piece("a", "Truck", {
        serviceInterval: 250,
        usagePercent: 50,
        remainingUsage: 125,
        projectedDueDate: "2026-12-09",
        projectedDueTask: { name: "" },
      }),
      piece("b", "Loader", {
        urgentTask: { name: "Oil filter", nextDueUsage: 42, remainingUsage: 42 },
        projectedDueDate: "2027-01-02",
        projectedDueTask: { name: "Oil filter", remainingUsage: 42 },
      }),
      piece("c", "Dozer", {
        urgentTask: { id: "oil", name: "Oil", nextDueUsage: 99, remainingUsage: 99 },
        projectedDueDate: "2026-12-20",
        projectedDueTask: { id: "state", name: "State inspection", byCalendar: true },
      }),
    ]);
    expect(await screen.findByText("in about 13 days, Dec 9")).toBeTruthy();
    expect(screen.getByText("99 hours until service").closest("td")?.textContent).toBe(
      "99 hours until serviceOil · State inspection: Dec 20",
    );
    expect(screen.getByText("42 hours until service").closest("td")?.textContent).toBe(
      "42 hours until serviceOil filter · in about 37 days, Jan 2, 2027",
    );
    vi.useRealTimers();
  });

  it("has no usage for a machine without a meter", async () => {
    await open([piece("a", "Trailer", { unit: MeterUnit.NOT_APPLICABLE })]);
    expect(within(await table()).getAllByRole("cell")[1]?.textContent).toBe("–");
  });

  it("shows how much of the lifespan is used", async () => {
    await open(
      [piece("a", "Truck", { lifespanPercent: 92, lifespanAlert: true })],
      "/?columns=status",
    );
    expect(await screen.findByText("92% of lifespan")).toBeTruthy();
  });

  it("is sorted by the server when a heading is pressed; the order is in the URL", async () => {
    const { requests, router } = await open(fleet());
    await table();
    fireEvent.click(screen.getByRole("button", { name: "Current Usage" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ sort: "usage" }));
    fireEvent.click(screen.getByRole("button", { name: "Current Usage" }));
    await waitFor(() =>
      expect(router.state.location.search).toEqual({ sort: "usage", desc: true }),
    );
    await waitFor(() =>
      expect(requests.at(-1)).toMatchObject({ order: EquipmentOrder.USAGE, descending: true }),
    );
    const heading = screen.getByRole("columnheader", { name: "Current Usage" });
    expect(heading.getAttribute("aria-sort")).toBe("descending");
    fireEvent.click(screen.getByRole("button", { name: "Current Usage" }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    const own = screen.getByRole("columnheader", { name: "Service Status" });
    expect(own.getAttribute("aria-sort")).toBe("ascending");
  });

  it("opens a machine by a click anywhere in its row", async () => {
    const { router } = await open(fleet());
    await table();
    await waitFor(() => {
      const text = screen.queryByText("overdue by 62.5 hours");
      if (text) fireEvent.click(text);
      expect(router.state.location.pathname).toBe("/equipment/item/71aa02f4-0000");
    });
  });

  it("has the probable action in the row: a service that is due, otherwise a reading", async () => {
    await open(fleet());
    await table();
    expect(screen.getByRole("button", { name: "Mark Excavator as serviced" })).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Update usage of Compressor" }));
    expect(await screen.findByRole("dialog")).toBeTruthy();
  });

  it("shows ten at first, the rest on request, and the number of matches", async () => {
    const many = Array.from({ length: 12 }, (_, at) => piece(`id-${at}`, `Truck ${at}`, {}));
    await open(many, "/", { matching: 40 });
    expect(within(await table()).getAllByRole("row")).toHaveLength(11);
    expect(screen.getByText("10 of 40 shown")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Show all 40" }));
    expect(within(await table()).getAllByRole("row")).toHaveLength(13);
    expect(screen.getByText("12 of 40 shown")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Show fewer" }));
    expect(within(await table()).getAllByRole("row")).toHaveLength(11);
  });

  it("links to the list of the filtered status", async () => {
    await open(fleet(), "/?status=due");
    const link = screen.getByRole("link", { name: "Open list" });
    expect(link.getAttribute("href")).toBe("/equipment/due");
  });

  it("shows different texts for no equipment and no match", async () => {
    await open([]);
    expect(await screen.findByText("No equipment yet")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Add Your First Equipment" })).toBeTruthy();
  });

  it("offers Clear filters if nothing matches", async () => {
    const { router } = await open([], "/?search=zzz&type=tools");
    fireEvent.click(await screen.findByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });

  it("offers Mark as Serviced only with a service interval", async () => {
    await open(fleet());
    const plain = await openMenu("Compressor");
    expect(
      within(plain)
        .getAllByRole("menuitem")
        .map((item) => item.textContent),
    ).toEqual(["Update Usage", "View Notes", "Edit", "Copy", "Delete"]);
    fireEvent.keyDown(plain, { key: "Escape" });
    const served = await openMenu("Excavator");
    expect(within(served).getByRole("menuitem", { name: "Mark as Serviced" })).toBeTruthy();
  });

  it("edits by id", async () => {
    const { router } = await open(fleet());
    await choose("Compressor", "Edit");
    await waitFor(() =>
      expect(router.state.location.href).toBe("/add-equipment?edit=9f31c0de-0000"),
    );
  });
});

describe("Export", () => {
  it("saves everything that matches the filter, with the documented columns, the status of the screens and the meter", async () => {
    const files = catchDownloads();
    const { requests } = await open(
      [
        piece("a", "Excavator", {
          type: EquipmentType.MACHINERY,
          currentUsage: 4812.5,
          meterReading: 4812.5,
          threshold: 12000,
          group: "Crew North",
          serviceInterval: 250,
          serviceStatus: ServiceStatus.TIME_FOR_SERVICE,
          lastUpdated: timestampFromDate(new Date(2025, 0, 5, 12)),
        }),
        piece("b", "=Saw", { type: EquipmentType.TOOLS, unit: MeterUnit.NOT_APPLICABLE }),
      ],
      "/?status=overdue&search=x",
    );
    await table();
    fireEvent.click(within(screen.getByRole("search")).getByRole("button", { name: "Export" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Export Complete"));
    await waitFor(() => expect(files[0]?.text).not.toBe(""));
    expect(files).toEqual([
      {
        name: "equipment-maintenance-report.csv",
        text: [
          "\uFEFFName,Type,Current Usage,Threshold,Unit,Status,Last Updated,Reading Age (Days),Projected Due Date,Missed Rounds,Snoozed,Group,Meter",
          "Excavator,Machinery,4812.5,12000,hours,Time for Service,2025-01-05,,,,,Crew North,4812.5",
          "'=Saw,Tools,0,,n/a,No service plan,,,,,,,",
          "",
        ].join("\r\n"),
      },
    ]);
    expect(requests.at(-1)).toMatchObject({
      status: ServiceStatus.OVERDUE,
      search: "x",
      page: { limit: 500 },
    });
  });

  it("says why there is nothing to export", async () => {
    await open([], "/?search=zzz");
    await screen.findByText("No equipment matches");
    const button = within(screen.getByRole("search")).getByRole("button", { name: "Export" });
    expect(button.getAttribute("aria-disabled")).toBe("true");
    expect(screen.getByText("There is no equipment to export.")).toBeTruthy();
  });
});

describe("Update Usage", () => {
  it("refuses a value that is not a positive number, with the documented text", async () => {
    const { calls } = await open(fleet());
    await choose("Excavator", "Update Usage");
    fireEvent.click(await screen.findByRole("button", { name: "Update Usage" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Invalid Input"));
    const text = "Please enter a valid positive number for usage increase.";
    expect(currentToast()?.description).toBe(text);
    const field = screen.getByRole("textbox", { name: "Usage increase" });
    await waitFor(() => expect(field.getAttribute("aria-invalid")).toBe("true"));
    expect(calls).toEqual([]);
  });

  it("shows the new total while typing, then sends the increase", async () => {
    const { calls } = await open(fleet());
    await choose("Excavator", "Update Usage");
    const field = screen.getByRole("textbox", { name: "Usage increase" });
    fireEvent.change(field, { target: { value: "8" } });
    expect(screen.getByText("4,820.5 hours")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Update Usage" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Usage Updated"));
    expect(calls).toEqual([["usage", "71aa02f4-0000", 8]]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("keeps what was typed when the server refuses", async () => {
    const { state } = await open(fleet());
    state.fail = true;
    await choose("Excavator", "Update Usage");
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Usage increase" });
    fireEvent.change(field, { target: { value: "8" } });
    fireEvent.click(screen.getByRole("button", { name: "Update Usage" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Update Failed"));
    expect(within(screen.getByRole("dialog")).getByText("The disk is full.")).toBeTruthy();
    expect(field.value).toBe("8");
  });
});

describe("Delete", () => {
  it("recommends retiring with notes", async () => {
    const { calls } = await open(fleet());
    await choose("Excavator", "Delete");
    expect(screen.getByRole("radio", { name: /Retire with Notes/ })).toHaveProperty(
      "checked",
      true,
    );
    const notes = screen.getByRole("textbox", { name: /Retirement notes/ });
    fireEvent.change(notes, { target: { value: "Sold." } });
    await screen.findByText("1 task is due: Regular service.");
    fireEvent.click(screen.getByRole("button", { name: "Retire equipment" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Equipment Retired"));
    expect(calls).toEqual([["retire", "71aa02f4-0000", "Sold."]]);
  });

  it("asks for confirmation before deleting permanently", async () => {
    const { calls } = await open(fleet());
    await choose("Excavator", "Delete");
    fireEvent.click(screen.getByRole("radio", { name: "Delete permanently" }));
    await screen.findByText("1 task is due: Regular service.");
    fireEvent.click(screen.getByRole("button", { name: "Delete permanently" }));
    const question = await screen.findByRole("alertdialog", {
      name: "Delete Excavator permanently?",
    });
    expect(calls).toEqual([]);
    fireEvent.click(within(question).getByRole("button", { name: "Delete permanently" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Equipment Deleted"));
    expect(calls).toEqual([["delete", "71aa02f4-0000"]]);
  });
});
