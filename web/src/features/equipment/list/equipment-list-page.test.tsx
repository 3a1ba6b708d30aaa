import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import {
  Badge,
  EquipmentFuel,
  EquipmentOrder,
  EquipmentSchema,
  EquipmentService,
  EquipmentType,
  MeterUnit,
  OperationalStatus,
  ProjectedTaskSchema,
  ServiceStatus,
  SnoozedTaskSchema,
  TaskSnoozeSchema,
  UrgentTaskSchema,
  type Equipment,
  type ListEquipmentRequest,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fileDate } from "#/shared/csv/file-date";
import { currentToast } from "#/shared/toast/store";
import { catchDownloads } from "#/test/catch-downloads";
import { owner, renderApp, stubRest } from "#/test/render-app";

const piece = (id: string, name: string, more: MessageInitShape<typeof EquipmentSchema>) =>
  create(EquipmentSchema, { id, name, unit: MeterUnit.HOURS, ...more });

const fleet = () => [
  piece("e1", "Excavator", {
    type: EquipmentType.MACHINERY,
    unitNumber: "EX-7",
    group: "Crew North",
    serialNumber: "CAT0320",
    fuel: EquipmentFuel.DIESEL,
    currentUsage: 4812.5,
    meterReading: 4812.5,
    threshold: 12000,
    serviceInterval: 250,
    lastServiceUsage: 4500,
    nextServiceDueUsage: 4750,
    usagePercent: 125,
    badge: Badge.OVERDUE,
    serviceStatus: ServiceStatus.OVERDUE,
    hasScheduledMaintenance: true,
    meterAgeDays: 3,
    meterReadAt: timestampFromDate(new Date(2025, 0, 5, 12)),
    projectedDueDate: "2026-12-09",
    projectedDueEarliest: "2026-12-05",
    projectedDueLatest: "2026-12-20",
    projectedDueTask: { name: "", byCalendar: true },
    nextMaintenanceDate: "2026-12-05",
    dateAdded: timestampFromDate(new Date(2025, 0, 5, 12)),
    serviceParts: [
      { part: "Oil filter", quantity: 2 },
      { part: "Air filter" },
      { part: "Belt", quantity: 1 },
      { part: "Plug" },
    ],
  }),
  piece("e2", "Saw", { type: EquipmentType.TOOLS, unit: MeterUnit.NOT_APPLICABLE }),
];

async function open(
  list: Equipment[],
  path = "/equipment-list",
  limit = 30,
  { earlierWarnings = false } = {},
) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const requests: ListEquipmentRequest[] = [];
  const state = { fail: false };
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, {
      listEquipment: (request) => {
        requests.push(request);
        if (state.fail) throw new ConnectError("The disk is full.", Code.Internal);
        const found = list.filter(({ type }) => !request.type || request.type === type);
        return { equipment: found, matching: found.length };
      },
      getEquipment: ({ id }) => ({ equipment: list.find((row) => row.id === id) }),
      listServiceTasks: () => ({ tasks: [{ id: "t0", fromForm: true, usageInterval: 250 }] }),
      markServiced: () => {
        list = list.filter(({ id }) => id !== "e1");
        return {};
      },
      getSummary: () => ({
        total: list.length,
        equipmentLimit: limit,
        groups: [...new Set(list.flatMap((row) => row.group ?? []))],
      }),
    });
    service(AccountsService, { getCompanySettings: () => ({ settings: { earlierWarnings } }) });
  });
  const { router } = await renderApp(path, transport);
  await screen.findByRole("heading", { level: 1, name: "Equipment List" });
  return { requests, router, state };
}

const table = () => screen.findByRole("table", { name: "Equipment List" });

it("shows how many of all match, and clears the filter beside it", async () => {
  const { router } = await open(fleet(), "/equipment-list?type=machinery");
  expect(await screen.findByText("1 of 2 pieces of equipment")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Clear" }));
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  expect(await screen.findByText("2 pieces of equipment")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Clear" })).toBeNull();
});

describe("a machine with its second meter", () => {
  it("shows the dial, and life-to-date usage against the lifespan", async () => {
    const replaced = {
      unit: MeterUnit.HOURS,
      currentUsage: 4824.5,
      meterReading: 12,
      serviceInterval: 250,
      nextServiceDueUsage: 5000,
    };
    await open([
      piece("e1", "Excavator", { ...replaced, threshold: 12000 }),
      piece("e2", "Loader", replaced),
    ]);
    const [, first, other] = within(await table()).getAllByRole("row");
    expect(first?.textContent).toContain("12 hourslife-to-date 4,824.5 of 12,000 hours");
    expect(other?.textContent).toContain("12 hourslife-to-date 4,824.5");
  });
});

describe("the keys of a row", () => {
  /** Opens the dialog of the first row's service by its key. Returns the row's link. */
  async function service() {
    await open(fleet());
    const link = within(await table()).getByRole("link", { name: "Excavator" });
    link.focus();
    fireEvent.keyDown(link, { key: "s" });
    await screen.findByRole("button", { name: "Mark as Serviced" });
    return link;
  }

  it("return the focus to the row", async () => {
    const link = await service();
    fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(document.activeElement).toBe(link));
  });

  it("move the focus to the next row if the row leaves the list", async () => {
    await service();
    fireEvent.click(screen.getByRole("button", { name: "Mark as Serviced" }));
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Saw"));
  });
});

describe("the equipment list", () => {
  it("filters by operational status, recent readings and projected due date", async () => {
    const { requests, router } = await open(fleet(), "/equipment-list?operational=in_shop&due=30");
    await table();
    expect(requests[0]).toMatchObject({
      operationalStatus: OperationalStatus.IN_SHOP,
      dueWithinDays: 30,
    });
    fireEvent.change(screen.getByRole("combobox", { name: "Readings" }), {
      target: { value: "stale" },
    });
    fireEvent.change(screen.getByRole("combobox", { name: "Due" }), { target: { value: "7" } });
    fireEvent.change(screen.getByRole("combobox", { name: "Operational Status" }), {
      target: { value: "" },
    });
    await waitFor(() => expect(router.state.location.search).toEqual({ stale: true, due: 7 }));
    await waitFor(() =>
      expect(requests.at(-1)).toMatchObject({
        stale: true,
        dueWithinDays: 7,
        operationalStatus: OperationalStatus.UNSPECIFIED,
      }),
    );
  });

  it("filters by group, and shows equipment without one", async () => {
    const { requests, router } = await open(fleet());
    const group = await screen.findByRole("combobox", { name: "Group" });
    expect(
      within(group)
        .getAllByRole("option")
        .map((option) => option.textContent),
    ).toEqual(["All groups", "Crew North", "No group"]);
    const choose = (label: string) => {
      const option = within(group).getByRole<HTMLOptionElement>("option", { name: label });
      fireEvent.change(group, { target: { value: option.value } });
    };
    choose("Crew North");
    await waitFor(() => expect(requests.at(-1)?.group).toBe("Crew North"));
    expect(router.state.location.search).toEqual({ group: "Crew North" });
    choose("No group");
    await waitFor(() => expect(requests.at(-1)?.group).toBe(""));
    expect(router.state.location.href).toBe("/equipment-list?group=");
    choose("All groups");
    await waitFor(() => expect(requests.at(-1)?.group).toBeUndefined());
  });

  it("keeps a group of the address that no machine has any more", async () => {
    const { requests } = await open([], "/equipment-list?group=12");
    const group = await screen.findByRole("combobox", { name: "Group" });
    expect(within(group).getByRole<HTMLOptionElement>("option", { name: "12" }).selected).toBe(
      true,
    );
    expect(requests[0]?.group).toBe("12");
    fireEvent.click(await screen.findByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(screen.queryByRole("combobox", { name: "Group" })).toBeNull());
  });

  it("is sorted by projected due date with the heading of the next maintenance", async () => {
    const { requests } = await open(fleet());
    await table();
    fireEvent.click(screen.getByRole("button", { name: "Next Maintenance" }));
    await waitFor(() => expect(requests.at(-1)?.order).toBe(EquipmentOrder.DUE));
  });

  it("is sorted on a phone with the wording of the headings", async () => {
    vi.stubGlobal("innerWidth", 390);
    const { requests, router } = await open(fleet());
    const by = await screen.findByRole("combobox", { name: "Sort by" });
    const words = within(by).getAllByRole("option");
    expect(words.map(({ textContent }) => textContent)).toEqual([
      "Default",
      "Name",
      "Current Usage",
      "Next Maintenance",
      "Status",
    ]);
    expect(screen.queryByRole("button", { name: "Descending" })).toBeNull();
    fireEvent.change(by, { target: { value: "usage" } });
    const descending = await screen.findByRole("button", { name: "Descending", pressed: false });
    fireEvent.click(descending);
    await waitFor(() => expect(requests.at(-1)?.descending).toBe(true));
    expect(requests.at(-1)?.order).toBe(EquipmentOrder.USAGE);
    expect(router.state.location.search).toEqual({ sort: "usage", desc: true });
    fireEvent.change(by, { target: { value: "" } });
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    vi.unstubAllGlobals();
  });

  it("explains why nothing can be added, with a link to larger plans", async () => {
    await open(fleet(), "/equipment-list", 1);
    const link = await screen.findByRole("link", { name: "See plans" });
    expect(link.closest("p, div")?.textContent).toMatch(/limit/i);
    expect(link.getAttribute("href")).toBe("/subscription");
  });

  it("comes with the most urgent first, and the documented columns on request", async () => {
    const { requests } = await open(fleet(), "/equipment-list?columns=type.fuel");
    await screen.findByRole("columnheader", { name: "Fuel Type" });
    const headings = within(await table()).getAllByRole("columnheader");
    expect(headings.map((heading) => heading.textContent)).toEqual([
      "Name",
      "Type",
      "Fuel Type",
      "Current Usage",
      "Next Maintenance",
      "Status",
      "Actions",
    ]);
    expect(requests[0]).toMatchObject({ order: EquipmentOrder.URGENCY, page: { limit: 100 } });
    await waitFor(() => expect(document.title).toBe("Equipment List - Equipment Management"));
  });

  it.each([
    [false, "Approaching Service"],
    [true, "Time for Service96% of the interval, early warning from 95%"],
  ])("warns earlier only with that setting (%s)", async (earlierWarnings, text) => {
    const worn = piece("e1", "Loader", {
      serviceInterval: 250,
      usagePercent: 96.4,
      serviceStatus: ServiceStatus.APPROACHING_SERVICE,
      badge: Badge.TIME_FOR_SERVICE,
    });
    await open([worn], "/equipment-list", 30, { earlierWarnings });
    const [, row] = within(await table()).getAllByRole("row");
    await waitFor(() => expect(row?.querySelectorAll("td")[3]?.textContent).toBe(text));
  });

  it("shows serial number, parts, lifespan, badge and next maintenance", async () => {
    await open(fleet(), "/equipment-list?columns=type.fuel.parts");
    await screen.findByRole("columnheader", { name: "Fuel Type" });
    const [, excavator, saw] = within(await table()).getAllByRole("row");
    expect(
      excavator &&
        within(excavator)
          .getAllByRole("cell")
          .map((cell) => cell.textContent),
    ).toEqual([
      "EX-7 ExcavatorCAT0320 · Crew North",
      "Machinery",
      "Diesel",
      "4,812.5 hoursread 3 days ago · of 12,000 hours",
      "overdue by 62.5 hours",
      "Overdue",
      "Oil filter × 2, Air filter, Belt, Plug",
      "",
    ]);
    expect(screen.getByTitle("Oil filter × 2, Air filter, Belt, Plug")).toBeTruthy();
    expect(saw && within(saw).getAllByRole("cell")[4]?.textContent).toBe("No schedule");
    expect(screen.getByText("2 pieces of equipment")).toBeTruthy();
  });

  it("edits, and removes with the recommended way first", async () => {
    const { router } = await open(fleet());
    const choose = async (item: string) => {
      fireEvent.keyDown(await screen.findByRole("button", { name: "Actions for Saw" }), {
        key: "Enter",
      });
      fireEvent.click(await screen.findByRole("menuitem", { name: item }));
    };
    await choose("Delete Equipment");
    const dialog = await screen.findByRole("dialog", { name: "Remove Saw?" });
    expect(within(dialog).getByRole("radio", { name: /Retire with Notes/ })).toHaveProperty(
      "checked",
      true,
    );
    fireEvent.click(within(dialog).getByRole("button", { name: "Cancel" }));
    await choose("Edit Equipment");
    await waitFor(() => expect(router.state.location.href).toBe("/add-equipment?edit=e2"));
  });

  it("searches on the server, a moment after typing", async () => {
    const { requests, router } = await open(fleet());
    const field = screen.getByRole("searchbox", { name: "Search name, number or group" });
    fireEvent.change(field, { target: { value: "cat" } });
    await waitFor(() => expect(router.state.location.search).toEqual({ search: "cat" }));
    await waitFor(() => expect(requests.at(-1)?.search).toBe("cat"));
  });
});

describe("a saved view", () => {
  it("is a tab with its filter, order and columns, and can be removed", async () => {
    const { router } = await open(fleet(), "/equipment-list?status=overdue&sort=usage");
    await table();
    const menu = async (item: string) => {
      fireEvent.keyDown(screen.getAllByRole("button", { name: "View" })[0] ?? document.body, {
        key: "Enter",
      });
      fireEvent.click(await screen.findByRole("menuitem", { name: item }));
    };
    await menu("Save as view…");
    const dialog = await screen.findByRole("dialog", { name: "Save this view" });
    fireEvent.click(within(dialog).getByRole("button", { name: "Save view" }));
    expect(await within(dialog).findByText("Enter a name")).toBeTruthy();
    fireEvent.change(within(dialog).getByRole("textbox", { name: "Name" }), {
      target: { value: "Worn" },
    });
    fireEvent.click(within(dialog).getByRole("button", { name: "Save view" }));
    const tabs = await screen.findByRole("navigation", { name: "Equipment" });
    const tab = await within(tabs).findByRole("link", { name: "Worn" });
    await waitFor(() => expect(tab.getAttribute("aria-current")).toBe("page"));
    fireEvent.click(within(tabs).getByRole("link", { name: "All" }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    fireEvent.click(within(tabs).getByRole("link", { name: "Worn" }));
    await waitFor(() =>
      expect(router.state.location.search).toEqual({
        status: "overdue",
        sort: "usage",
        columns: "",
      }),
    );
    await menu("Remove view “Worn”");
    await waitFor(() => expect(within(tabs).queryByRole("link", { name: "Worn" })).toBeNull());
    fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
    expect(await within(tabs).findByRole("link", { name: "Worn" })).toBeTruthy();
  });
});

describe("an empty list", () => {
  it("has an empty state with Add, and nothing to export or print", async () => {
    const { router } = await open([]);
    expect(await screen.findByText("No equipment found")).toBeTruthy();
    for (const name of ["Export CSV", "Print"]) {
      expect(screen.getByRole("button", { name }).getAttribute("aria-disabled")).toBe("true");
    }
    fireEvent.click(screen.getByRole("link", { name: "Add Your First Equipment" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/add-equipment"));
  });

  it("has a different text for a search without a match", async () => {
    const { router } = await open([], "/equipment-list?search=zzz");
    expect(await screen.findByText("No equipment matches")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });
});

describe("reports of the list", () => {
  it("exports the documented columns to a file named with the date", async () => {
    const files = catchDownloads();
    await open(fleet());
    await table();
    fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Export Complete"));
    await waitFor(() => expect(files[0]?.text).not.toBe(""));
    expect(files).toEqual([
      {
        name: `equipment-list-${fileDate(new Date())}.csv`,
        text: [
          "\uFEFFName,Type,Serial Number,Unit,Current Usage,Threshold,Fuel Type,Service Interval,Last Service Usage,Status,Scheduled Maintenance,Next Maintenance Date,Date Added,Unit number,Operational Status,Reading Age (Days),Projected Due Date,Earliest Due Date,Latest Due Date,Projected Due Task,Missed Rounds,Snoozed,Group,Meter",
          "Excavator,Machinery,CAT0320,hours,4812.5,12000,Diesel,250,4500,Overdue,Yes,2026-12-05,2025-01-05,EX-7,In use,3,2026-12-09,2026-12-05,2026-12-20,Regular service,,,Crew North,4812.5",
          "Saw,Tools,,n/a,0,,n/a,,,No service plan,No,,,,In use,,,,,,,,,",
          "",
        ].join("\r\n"),
      },
    ]);
  });

  it("exports usage, lifespan and last service over all meters, and the meter", async () => {
    const [first] = fleet();
    if (!first) throw new Error("no equipment");
    // A second meter: the first one counted 4,800.
    const files = catchDownloads();
    await open([{ ...first, meterReading: 412.5, currentUsage: 5212.5, lastServiceUsage: 5000 }]);
    await table();
    fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(files[0]?.text).toContain(",hours,5212.5,12000,Diesel,250,5000,"));
    expect(files[0]?.text).toMatch(/,Meter\r\n.*,412.5\r\n$/);
  });

  it("exports Spanish headings and values in Spanish", async () => {
    const files = catchDownloads();
    await open(fleet());
    await table();
    fireEvent.click(screen.getByRole("button", { name: "ES Español" }));
    fireEvent.click(await screen.findByRole("button", { name: "Exportar CSV" }));
    await waitFor(() => expect(files[0]?.text).toContain("Nombre,Tipo,Número de serie,Unidad"));
    expect(files[0]?.text).toContain("Excavator,Maquinaria,CAT0320,horas,4812.5");
    expect(files[0]?.text).toContain(",Medidor\r\n");
  });

  it("shows why an export failed, and saves nothing", async () => {
    const files = catchDownloads();
    const { state } = await open(fleet());
    await table();
    state.fail = true;
    fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Export failed"));
    expect(currentToast()?.description).toBe("The disk is full.");
    expect(files).toEqual([]);
  });

  it("prints a report with the company, the search and the count", async () => {
    const print = vi.fn<() => void>();
    vi.stubGlobal("print", print);
    await open(fleet(), "/equipment-list?search=a");
    await table();
    fireEvent.click(screen.getByRole("button", { name: "Print" }));
    await waitFor(() => expect(print).toHaveBeenCalledOnce());
    const report = document.querySelector<HTMLElement>("body > [data-print-report]");
    expect(report?.textContent).toContain("Acme Earthworks");
    expect(report?.textContent).toContain("2 pieces of equipment · search: a");
    expect(report && within(report).getAllByRole("row")[1]?.textContent).toBe(
      "EX-7ExcavatorCAT0320MachineryCrew North4,812.5 hours · read 3 days agoOverdueDieselDec 5, 2026 · at 4,750 hours",
    );
    fireEvent(window, new Event("afterprint"));
  });

  it("prints the figures of the task that is due next", async () => {
    vi.stubGlobal("print", vi.fn<() => void>());
    const [machine] = fleet();
    if (machine) {
      machine.urgentTask = create(UrgentTaskSchema, { id: "t2", name: "Oil", nextDueUsage: 5020 });
      machine.projectedDueTask = create(ProjectedTaskSchema, { id: "t2", name: "Oil" });
      machine.projectedDueDate = "2099-12-09";
    }
    await open(machine ? [machine] : []);
    await table();
    fireEvent.click(screen.getByRole("button", { name: "Print" }));
    const cell = await screen.findByText(/^Oil: /);
    expect(cell.textContent).toMatch(
      /^Oil: 207\.5 hours until service · at 5,020 hours · in about [\d,]+ days, Dec 9, 2099$/,
    );
    fireEvent(window, new Event("afterprint"));
  });

  it("prints no due point for a meter that was never read", async () => {
    vi.stubGlobal("print", vi.fn<() => void>());
    await open([piece("e1", "Transit", { serviceInterval: 5000 })]);
    await table();
    fireEvent.click(screen.getByRole("button", { name: "Print" }));
    const report = await waitFor(() => {
      const found = document.querySelector<HTMLElement>("body > [data-print-report]");
      return found ?? Promise.reject(new Error("no report"));
    });
    expect(report.textContent).toContain("No reading yet");
    expect(report.textContent).not.toContain("5,000");
    fireEvent(window, new Event("afterprint"));
  });

  it.each([
    ["t0", false],
    ["t1", true],
  ])("shows the projected date unless it may be the end of a snooze: %s", async (id, shown) => {
    await open([
      piece("e1", "Loader", {
        serviceInterval: 250,
        usagePercent: 90,
        remainingUsage: 25,
        projectedDueDate: "2099-12-09",
        projectedDueTask: { id: "t0", name: "", remainingUsage: 25 },
        snoozedTasks: [{ id, snooze: { untilUsage: 30 } }],
      }),
    ]);
    const [, row] = within(await table()).getAllByRole("row");
    expect(row?.textContent).toContain("25 hours until service");
    expect(row?.textContent.includes("Dec 9, 2099")).toBe(shown);
  });

  it("shows a machine that is good only because tasks are snoozed as snoozed", async () => {
    const snooze = create(TaskSnoozeSchema, { untilDate: "2099-12-09", reason: "Tires ordered" });
    const snoozedTasks = [create(SnoozedTaskSchema, { id: "t1", snooze })];
    const plan = { serviceInterval: 250, snoozedTasks };
    await open([
      piece("e1", "Excavator", { ...plan, serviceStatus: ServiceStatus.GOOD, badge: Badge.GOOD }),
      piece("e2", "Loader", {
        ...plan,
        serviceStatus: ServiceStatus.OVERDUE,
        badge: Badge.OVERDUE,
      }),
    ]);
    const [, good, overdue] = within(await table()).getAllByRole("row");
    expect(good?.textContent).toContain("Snoozed");
    expect(good?.textContent).not.toContain("Good");
    expect(overdue?.textContent).toContain("Overdue");
    expect(await screen.findAllByText(/Snoozed until: Dec 9, 2099. Tires ordered/)).toHaveLength(2);
  });
});
