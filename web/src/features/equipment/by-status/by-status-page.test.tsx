import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import {
  EquipmentFuel,
  EquipmentOrder,
  EquipmentService,
  EquipmentType,
  MeterUnit,
  ServiceStatus,
  type ListEquipmentRequest,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fileDate } from "#/shared/csv/file-date";
import { currentToast } from "#/shared/toast/store";
import { catchDownloads } from "#/test/catch-downloads";
import { owner, renderApp, stubRest } from "#/test/render-app";

const excavator = {
  id: "e1",
  name: "Excavator",
  type: EquipmentType.MACHINERY,
  fuel: EquipmentFuel.DIESEL,
  group: "Crew North",
  unit: MeterUnit.HOURS,
  currentUsage: 4812.5,
  meterReading: 4812.5,
  serviceInterval: 250,
  serviceStatus: ServiceStatus.OVERDUE,
  lastUpdated: timestampFromDate(new Date(2025, 0, 5, 12)),
};

async function open(path: string, equipment = [excavator]) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const requests: ListEquipmentRequest[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, {
      listEquipment: (request) => {
        requests.push(request);
        return { equipment, matching: equipment.length };
      },
      getSummary: () => ({ total: 9, good: 6, overdue: 3, equipmentLimit: 30 }),
    });
  });
  const { router } = await renderApp(path, transport);
  await screen.findByRole("heading", { level: 1 });
  return { requests, router };
}

const file = (status: string) => `equipment-${status}-${fileDate(new Date())}.csv`;
const header =
  "\uFEFFName,Type,Fuel Type,Current Usage,Service Interval,Unit,Service Status,Last Updated,Reading Age (Days),Projected Due Date,Group,Missed Rounds,Snoozed,Meter\r\n";

describe("equipment by status", () => {
  it.each([
    ["good", "good", "Service OK", ServiceStatus.GOOD],
    ["approaching", "approaching", "Approaching Service", ServiceStatus.APPROACHING_SERVICE],
    [
      "approaching_service",
      "approaching",
      "Approaching Service",
      ServiceStatus.APPROACHING_SERVICE,
    ],
    ["due", "due", "Service Due", ServiceStatus.TIME_FOR_SERVICE],
    ["time_for_service", "due", "Service Due", ServiceStatus.TIME_FOR_SERVICE],
    ["overdue", "overdue", "Overdue Service", ServiceStatus.OVERDUE],
    ["all", "all", "All Equipment", ServiceStatus.UNSPECIFIED],
  ])("/equipment/%s is /equipment/%s, %s", async (word, short, title, status) => {
    const { requests, router } = await open(`/equipment/${word}`);
    expect(screen.getByRole("heading", { level: 1, name: title })).toBeTruthy();
    expect(router.state.location.pathname).toBe(`/equipment/${short}`);
    await waitFor(() => expect(document.title).toBe(`${title} - Equipment Management`));
    await waitFor(() =>
      expect(requests[0]).toMatchObject({ status, order: EquipmentOrder.URGENCY }),
    );
    expect(await screen.findByText("1 piece of equipment")).toBeTruthy();
  });

  it.each(["items", "Good", "normal"])("/equipment/%s is no page", async (word) => {
    const { requests } = await open(`/equipment/${word}`);
    expect(await screen.findByRole("heading", { level: 1, name: "Page not found" })).toBeTruthy();
    expect(requests).toEqual([]);
  });

  it("links to the other statuses with their counts", async () => {
    await open("/equipment/overdue");
    const links = screen.getByRole("navigation", { name: "Equipment by service status" });
    await within(links).findByText("9");
    const current = within(links).getByRole("link", { name: /^Overdue Service/ });
    expect(current.getAttribute("aria-current")).toBe("page");
    expect(within(links).getByRole("link", { name: /^All Equipment/ }).textContent).toBe(
      "All Equipment9",
    );
  });

  it("exports the documented columns", async () => {
    const files = catchDownloads();
    await open("/equipment/overdue");
    fireEvent.click(await screen.findByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Export Complete"));
    await waitFor(() => expect(files[0]?.text).not.toBe(""));
    expect(files).toEqual([
      {
        name: file("overdue"),
        text: `${header}Excavator,Machinery,Diesel,4812.5,250,hours,Overdue,2025-01-05,,,Crew North,,,4812.5\r\n`,
      },
    ]);
  });

  it("prints a report under its title", async () => {
    const print = vi.fn<() => void>();
    vi.stubGlobal("print", print);
    await open("/equipment/overdue");
    fireEvent.click(await screen.findByRole("button", { name: "Print Report" }));
    await waitFor(() => expect(print).toHaveBeenCalledOnce());
    const report = document.querySelector<HTMLElement>("body > [data-print-report]");
    expect(report && within(report).getByRole("heading").textContent).toBe("Overdue Service");
    fireEvent(window, new Event("afterprint"));
  });
});

describe("a status without equipment", () => {
  it("offers all equipment and an empty report of headings alone", async () => {
    const files = catchDownloads();
    await open("/equipment/due", []);
    expect(await screen.findByText("No equipment found")).toBeTruthy();
    const all = screen.getByRole("link", { name: "View All Equipment" });
    expect(all.getAttribute("href")).toBe("/equipment/all");
    fireEvent.click(screen.getByRole("button", { name: "Export Empty Report" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Export Complete"));
    await waitFor(() => expect(files[0]?.text).not.toBe(""));
    expect(files).toEqual([{ name: file("due"), text: header }]);
  });
});
