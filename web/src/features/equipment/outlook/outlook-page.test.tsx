import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  EquipmentOrder,
  EquipmentService,
  EquipmentType,
  MeterUnit,
  CalendarUnit,
  OperationalStatus,
  ServiceStatus,
  type ListEquipmentRequest,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { catchDownloads } from "#/test/catch-downloads";
import { owner, renderApp, stubRest } from "#/test/render-app";
import { choose } from "../bulk/bulk.fixture";

const machine = (name: string, projectedDueDate: string, more: object = {}) => ({
  id: name,
  name,
  type: EquipmentType.MACHINERY,
  unit: MeterUnit.HOURS,
  serviceInterval: 250,
  serviceStatus: ServiceStatus.GOOD,
  projectedDueDate,
  projectedDueEarliest: projectedDueDate,
  projectedDueLatest: projectedDueDate,
  ...(projectedDueDate && { projectedDueTask: { name: "", remainingUsage: 42 } }),
  ...more,
});

const fleet = [
  machine("Roller", "2026-11-26", {
    serviceStatus: ServiceStatus.OVERDUE,
    usagePercent: 125,
    nextServiceDueUsage: 250,
    currentUsage: 312.5,
    meterReading: 312.5,
    projectedDueTask: { name: "", remainingUsage: 0 },
    overdueTasks: 3,
  }),
  machine("Truck", "2026-11-28", {
    type: EquipmentType.VEHICLE,
    group: "Site 12",
    projectedDueTask: { name: "Oil filter", byCalendar: true },
    urgentTask: { name: "Oil filter", status: ServiceStatus.GOOD, daysUntilDue: 2 },
  }),
  machine("Excavator", "2026-12-09", {
    projectedDueEarliest: "2026-12-05",
    projectedDueLatest: "2026-12-20",
    usagePercent: 83,
    remainingUsage: 42,
    unitNumber: "EX-7",
    group: "Site 2",
    currentUsage: 4812.5,
    meterReading: 4812.5,
    meterAgeDays: 3,
    meterReadAt: timestampFromDate(new Date("2026-11-23T12:00:00Z")),
  }),
  machine("Saw", ""),
];

async function open(path: string, equipment: object[] = fleet) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const requests: ListEquipmentRequest[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, {
      listEquipment: (request) => {
        requests.push(request);
        return { equipment, matching: equipment.length };
      },
      getSummary: () => ({ groups: equipment === fleet ? ["Site 2", "Site 12"] : [] }),
    });
  });
  const { router } = await renderApp(path, transport);
  await screen.findByRole("heading", { level: 1, name: "Service" });
  return { requests, router };
}

const group = (name: string) => screen.findByRole("list", { name });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-26T18:00:00Z") });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("the Service page", () => {
  it("groups machines by when they are due, with meter, task and distance", async () => {
    const { requests } = await open("/service");
    const overdue = (await group("Overdue 1")).textContent;
    expect(overdue).toContain("overdue by 62.5 hours");
    expect(overdue).toContain("Regular service · and 2 more tasks overdue");
    expect((await group("This week 1")).textContent).toContain("maintenance in 2 days");
    const later = await group("Later 1");
    for (const text of [
      "EX-7",
      "4,812.5 hoursread 3 days ago",
      "Regular service",
      "42 hours until service",
      "about Dec 9 (Dec 5 – Dec 20)",
      "Good",
    ]) {
      expect(later.textContent).toContain(text);
    }
    expect(within(later).getByRole("link", { name: "Excavator" }).getAttribute("href")).toBe(
      "/equipment/item/Excavator",
    );
    expect((await group("No forecast 1")).textContent).toContain("No reading yet");
    expect(screen.queryByText("Next week")).toBeNull();
    expect(requests[0]?.order).toBe(EquipmentOrder.DUE);
  });

  it("has a group of what is due now, also in print", async () => {
    vi.stubGlobal("print", vi.fn<() => void>());
    const due = { serviceStatus: ServiceStatus.TIME_FOR_SERVICE };
    await open("/service", [
      ...fleet,
      machine("Dozer", "2026-11-27", { ...due, operationalStatus: OperationalStatus.IN_SHOP }),
      machine("Pump", "", due),
    ]);
    expect((await group("Due now 2")).textContent).toMatch(/Dozer.*Pump/);
    const titles = screen.getAllByRole("heading", { level: 2 });
    expect(titles.map((title) => title.textContent)).toEqual([
      "Overdue 1",
      "Due now 2",
      "This week 1",
      "Later 1",
      "No forecast 1",
    ]);
    fireEvent.click(screen.getByRole("button", { name: "Print" }));
    await waitFor(() =>
      expect(document.querySelector("[data-print-report]")?.textContent).toContain("Due nowDozer"),
    );
    const paper = document.querySelector("[data-print-report]")?.textContent;
    expect(paper).toContain("Time for Service · In the shop");
    fireEvent(window, new Event("afterprint"));
  });

  it("has the actions of the equipment list in each row", async () => {
    await open("/service");
    const overdue = within(await group("Overdue 1"));
    expect(overdue.getByRole("button", { name: "Mark Roller as serviced" })).toBeTruthy();
    const later = within(await group("Later 1"));
    fireEvent.click(later.getByRole("button", { name: "Update usage of Excavator" }));
    expect(await screen.findByRole("dialog", { name: "Update Usage" })).toBeTruthy();
  });

  it("files a machine by its next task, not by another one's date", async () => {
    const oilInAYear = { name: "Engine oil", id: "oil", byCalendar: true };
    const next = (status: ServiceStatus) => ({
      serviceStatus: status,
      projectedDueTask: oilInAYear,
      urgentTask: { id: "grease", name: "Grease", status, nextDueUsage: 50, remainingUsage: 7.4 },
      currentUsage: 42.6,
      meterReading: 42.6,
    });
    await open("/service", [
      machine("Roller", "2027-11-26", next(ServiceStatus.APPROACHING_SERVICE)),
      machine("Dozer", "2027-11-26", next(ServiceStatus.GOOD)),
    ]);
    const soon = await group("Approaching, no forecast yet 1");
    expect(soon.textContent).toContain("Grease7.4 hours until serviceNot enough days of use");
    expect((await group("No forecast 1")).textContent).toContain("Dozer");
    expect(screen.queryByText(/Later/)).toBeNull();
  });

  it("files a machine with both limits by status while its use is unknown", async () => {
    const both = (status: ServiceStatus) => ({
      serviceStatus: status,
      projectedDueTask: { name: "", byCalendar: true },
      serviceInterval: 250,
      nextServiceDueUsage: 250,
      remainingUsage: 20,
      usagePercent: status === ServiceStatus.GOOD ? 10 : 92,
      daysUntilMaintenance: 365,
      nextMaintenanceDate: "2027-11-26",
    });
    await open("/service", [
      machine("Roller", "2027-11-26", both(ServiceStatus.APPROACHING_SERVICE)),
      machine("Dozer", "2027-11-26", both(ServiceStatus.GOOD)),
    ]);
    expect((await group("Approaching, no forecast yet 1")).textContent).toContain("Roller");
    expect((await group("No forecast 1")).textContent).toContain("Dozer");
    expect(screen.getAllByText(/^Maintenance in 365 days/i)).toHaveLength(2);
  });

  it("files a machine by another task's date of this month, and names that task", async () => {
    const inspection = { name: "Inspection", id: "inspection", byCalendar: true };
    const next = {
      projectedDueTask: inspection,
      urgentTask: {
        id: "grease",
        name: "Grease",
        status: ServiceStatus.GOOD,
        nextDueUsage: 50,
        remainingUsage: 7.4,
      },
      currentUsage: 42.6,
      meterReading: 42.6,
    };
    await open("/service", [
      machine("Roller", "2026-11-30", next),
      machine("Dozer", "2027-11-26", next),
    ]);
    expect((await group("Next week 1")).textContent).toContain("Inspection: Nov 30");
    expect((await group("No forecast 1")).textContent).toContain("Inspection: Nov 26, 2027");
  });

  it("orders tasks by the server's order date", async () => {
    const task = (name: string, orderDate: string, projectedDueDate: string) => ({
      id: name,
      name,
      status: ServiceStatus.GOOD,
      usageInterval: 250,
      orderDate,
      projectedDueDate,
    });
    const tasks = [
      task("Inspection", "2027-11-26", "2027-11-26"),
      task("Engine", "2028-11-26", ""),
      task("Oil", "2026-12-02", "2027-11-26"),
      task("Unread", "", ""),
    ];
    await open("/service?view=task", [machine("Roller", "2027-11-26", { tasks })]);
    await group("Oil 1");
    const titles = screen.getAllByRole("heading", { level: 2 });
    expect(titles.map((title) => title.textContent)).toEqual([
      "Oil 1",
      "Inspection 1",
      "Engine 1",
      "Unread 1",
    ]);
  });

  it("lists what is furthest past its interval first", async () => {
    const overdue = (more: object) => ({
      id: "t",
      name: "Oil",
      status: ServiceStatus.OVERDUE,
      orderDate: "2026-11-26",
      ...more,
    });
    const row = (name: string, more: object) =>
      machine(name, "2026-11-26", {
        serviceStatus: ServiceStatus.OVERDUE,
        tasks: [overdue(more)],
      });
    await open("/service", [
      row("Auger", { usageInterval: 100, usagePercent: 115 }),
      row("Loader", {
        calendarInterval: 1,
        calendarUnit: CalendarUnit.MONTHS,
        daysUntilDue: -15,
      }),
      row("Zetor", { usageInterval: 100, usagePercent: 700 }),
    ]);
    expect((await group("Overdue 3")).textContent).toMatch(/Zetor.*Loader.*Auger/);
    fireEvent.click(screen.getByRole("radio", { name: "By task" }));
    expect((await group("Oil 3")).textContent).toMatch(/Zetor.*Loader.*Auger/);
  });

  it("exports the chosen group by due date", async () => {
    const saved = catchDownloads();
    const { requests } = await open("/service?group=Site+12");
    const button = screen.getByRole("button", { name: "Export CSV" });
    await waitFor(() => expect(button.ariaDisabled).not.toBe("true"));
    fireEvent.click(button);
    await waitFor(() => expect(saved[0]?.text).toContain("Projected Due Date,Earliest Due Date"));
    expect(saved[0]?.name).toBe("service-2026-11-26.csv");
    expect(requests.at(-1)).toMatchObject({ group: "Site 12", order: EquipmentOrder.DUE });
  });

  it("groups by task and by type", async () => {
    const { router } = await open("/service");
    fireEvent.click(screen.getByRole("radio", { name: "By task" }));
    await group("Regular service 2");
    await group("Oil filter 1");
    expect(router.state.location.search).toEqual({ view: "task" });
    fireEvent.click(screen.getByRole("radio", { name: "By type" }));
    await group("Vehicle 1");
    await group("Machinery 3");
  });

  it("shows all tasks of a machine by task and in the calendar", async () => {
    const task = (name: string, projectedDueDate: string, more: object = {}) => ({
      id: name,
      name,
      status: ServiceStatus.GOOD,
      projectedDueDate,
      ...more,
    });
    const oil = { nextDueUsage: 250, remainingUsage: 250, usageInterval: 250 };
    const tasks = [
      task("", "2026-11-28", { fromForm: true }),
      task("Grease", "2026-11-26", { status: ServiceStatus.OVERDUE, missedRounds: 3 }),
      task("Oil", "2026-12-09", oil),
    ];
    const { requests } = await open("/service?view=task", [
      machine("Roller", "2026-11-26", { tasks, usagePercent: 20, remainingUsage: 200 }),
    ]);
    expect((await group("Grease 1")).textContent).toContain("Grease: 3 rounds missed");
    expect((await group("Oil 1")).textContent).toContain("250 hours until serviceabout Dec 9");
    await group("Regular service 1");
    expect(requests[0]?.withTasks).toBe(true);
    fireEvent.click(screen.getByRole("radio", { name: "Calendar" }));
    const november = await screen.findByRole("list", { name: "November 2026" });
    expect(within(november).getAllByRole("link", { name: "Roller" })).toHaveLength(2);
    fireEvent.click(screen.getByRole("button", { name: "Next month" }));
    const december = await screen.findByRole("list", { name: "December 2026" });
    expect(within(december).getByText("Oil")).toBeTruthy();
  });

  describe("of one machine with several tasks", () => {
    const tasks = [
      { id: "oil", name: "Oil", status: ServiceStatus.GOOD, usageInterval: 250 },
      { id: "grease", name: "Grease", status: ServiceStatus.OVERDUE, usageInterval: 50 },
    ];
    const roller = machine("Roller", "", { serviceStatus: ServiceStatus.OVERDUE, tasks });

    it("offers the row's own task as done", async () => {
      await open("/service?view=task", [roller]);
      const good = within(await group("Oil 1"));
      expect(good.queryByRole("button", { name: "Mark Roller as serviced" })).toBeNull();
      const overdue = within(await group("Grease 1"));
      fireEvent.click(overdue.getByRole("button", { name: "Mark Roller as serviced" }));
      expect(await screen.findByRole("dialog", { name: /Grease/ })).toBeTruthy();
    });

    it("exports a line for each task", async () => {
      const saved = catchDownloads();
      await open("/service?view=task", [roller]);
      await group("Oil 1");
      fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
      await waitFor(() => expect(saved[0]?.text).toMatch(/Grease[^]*Oil/));
    });

    it("prints a line for each task of the calendar", async () => {
      vi.stubGlobal("print", vi.fn<() => void>());
      await open("/service?view=calendar", [roller]);
      await screen.findByRole("list", { name: "November 2026" });
      fireEvent.click(screen.getByRole("button", { name: "Print" }));
      await waitFor(() =>
        expect(document.querySelectorAll("[data-print-report] tbody tr")).toHaveLength(2),
      );
      fireEvent(window, new Event("afterprint"));
    });
  });

  it("groups by the company's groups, and shows one of them", async () => {
    const { router } = await open("/service");
    fireEvent.click(await screen.findByRole("radio", { name: "By group" }));
    await group("Site 2 1");
    const lists = screen.getAllByRole("heading", { level: 2 });
    expect(lists.map((heading) => heading.textContent)).toEqual([
      "Site 2 1",
      "Site 12 1",
      "No group 2",
    ]);
    const filter = screen.getByRole("combobox", { name: "Group" });
    fireEvent.change(filter, { target: { value: "=Site 12" } });
    await screen.findByText("1 of 4 pieces of equipment");
    expect(router.state.location.search).toEqual({ view: "group", group: "Site 12" });
    fireEvent.click(screen.getByRole("radio", { name: "By machine" }));
    expect((await group("This week 1")).textContent).toContain("Truck");
    expect(router.state.location.search).toEqual({ group: "Site 12" });
    fireEvent.click(screen.getByRole("button", { name: "Clear" }));
    await screen.findByText("4 pieces of equipment");
    fireEvent.change(filter, { target: { value: "=" } });
    await group("Overdue 1");
    expect(screen.queryByText("Truck")).toBeNull();
    expect(router.state.location.href).toBe("/service?group=");
  });

  it("offers to clear a group without machines", async () => {
    const { router } = await open("/service?group=Gone");
    fireEvent.click(await screen.findByRole("button", { name: "Clear filters" }));
    await group("Overdue 1");
    expect(router.state.location.href).toBe("/service");
  });

  it("has a calendar that goes from month to month", async () => {
    const { router } = await open("/service?view=calendar");
    const november = await screen.findByRole("list", { name: "November 2026" });
    expect(within(november).getByRole("link", { name: "Truck" })).toBeTruthy();
    expect(within(november).queryByRole("link", { name: "Excavator" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Next month" }));
    const december = await screen.findByRole("list", { name: "December 2026" });
    expect(within(december).getByRole("link", { name: "Excavator" })).toBeTruthy();
    expect(router.state.location.search).toEqual({ view: "calendar", month: "2026-12" });
  });

  it("prints the groups", async () => {
    const print = vi.fn<() => void>();
    vi.stubGlobal("print", print);
    await open("/service?group=Site%202");
    await group("Later 1");
    fireEvent.click(screen.getByRole("button", { name: "Print" }));
    await waitFor(() => expect(print).toHaveBeenCalledOnce());
    const report = document.querySelector("body > [data-print-report]");
    expect(report?.textContent).toContain("42 hours until service · about Dec 9 (Dec 5 – Dec 20)");
    expect(report?.textContent).toContain("Group: Site 2");
    expect(report?.querySelector("th")?.textContent).toBe("When");
    fireEvent(window, new Event("afterprint"));
  });

  it("offers to add the first machine", async () => {
    await open("/service", []);
    expect(await screen.findByText("No equipment yet")).toBeTruthy();
    const add = screen.getByRole("link", { name: "Add Your First Equipment" });
    expect(add.getAttribute("href")).toBe("/add-equipment");
  });
});

it("exports the selected machines of the page", async () => {
  const files = catchDownloads();
  await open("/service");
  await group("Overdue 1");
  fireEvent.click(screen.getByRole("button", { name: "Select" }));
  fireEvent.click(screen.getByLabelText("Select Roller"));
  fireEvent.click(screen.getByLabelText("Select Excavator"), { shiftKey: true });
  await screen.findByText("3 machines selected");
  await choose("Export CSV");
  await waitFor(() => expect(files[0]?.text).toContain("Roller"));
  expect(files[0]?.text).not.toContain("Saw");
  fireEvent.click(screen.getByRole("radio", { name: "Calendar" }));
  await waitFor(() => expect(screen.queryByText("3 machines selected")).toBeNull());
});
