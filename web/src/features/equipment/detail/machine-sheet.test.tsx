import { create } from "@bufbuild/protobuf";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import {
  HistoryKind,
  OperationalStatus,
  ServiceStatus,
  VoidingSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { day, excavator, openDetail, record, world, type World } from "./detail.fixture";

const print = vi.fn<() => void>();

beforeEach(() => {
  print.mockClear();
  vi.stubGlobal("print", print);
});

async function printSheet(state: World): Promise<HTMLElement | null> {
  await openDetail(state);
  fireEvent.keyDown(await screen.findByRole("button", { name: "Actions for Excavator" }), {
    key: "Enter",
  });
  fireEvent.click(await screen.findByRole("menuitem", { name: "Print" }));
  await waitFor(() => expect(print).toHaveBeenCalledOnce());
  return document.querySelector<HTMLElement>("body > [data-print-report]");
}

it("prints state, tasks, services, notes and details, without voided services", async () => {
  const service = { kind: HistoryKind.SERVICE, performedOn: "2026-11-17", cost: 125.5 };
  const sheet = await printSheet(
    world({
      equipment: excavator({
        unitNumber: "EX-01",
        meterAgeDays: 1,
        operationalStatus: OperationalStatus.IN_SHOP,
      }),
      tasks: [
        {
          id: "t1",
          name: "Oil filter",
          status: ServiceStatus.APPROACHING_SERVICE,
          usageInterval: 250,
          usagePercent: 90,
          nextDueUsage: 4837.5,
          remainingUsage: 25,
          projectedDueDate: "2199-01-04",
        },
      ],
      records: [
        record({ id: "s1", ...service, taskName: "Oil filter" }),
        record({
          id: "s2",
          ...service,
          taskName: "Wrong one",
          voiding: create(VoidingSchema, { by: "Ana" }),
        }),
      ],
      notes: [
        { id: "n1", content: "Bucket tooth is loose", authorName: "Ana" },
        { id: "n2", content: "Medidor cambiado", authorName: "Luis" },
      ],
    }),
  );
  const paper = within(sheet ?? document.body);
  expect(paper.getByRole("heading", { level: 1, name: "Excavator" })).toBeTruthy();
  const texts = ["Acme Earthworks", "Overdue", "In the shop", "Bucket tooth is loose"];
  for (const text of [...texts, "Meter replaced"]) {
    expect(paper.getAllByText(text).length).toBeGreaterThan(0);
  }
  expect(paper.getAllByText("EX-01")).toHaveLength(2);
  expect(
    paper.getByText("Approaching Service · 25 hours until service · every 250 hours"),
  ).toBeTruthy();
  expect(paper.getByText("about Jan 4, 2199")).toBeTruthy();
  expect(paper.getAllByText("$125.50").length).toBeGreaterThan(0);
  expect(paper.queryByText("Wrong one")).toBeNull();
  fireEvent(window, new Event("afterprint"));
  expect(document.querySelector("body > [data-print-report]")).toBeNull();
});

it("limits tasks, services and notes to what fits on a page, and says what is left", async () => {
  const many = Array.from({ length: 12 }, (_, index) => String(index + 1));
  const sheet = await printSheet(
    world({
      tasks: many.map((id) => ({ id, name: `Task ${id}`, calendarInterval: 1 })),
      records: many.map((id) =>
        record({
          id,
          kind: HistoryKind.SERVICE,
          taskName: `Service ${id}`,
          createdAt: day(`2026-10-${id.padStart(2, "0")}`),
        }),
      ),
      notes: many.map((id) => ({ id, content: `Note ${id}`, authorName: "Ana" })),
    }),
  );
  const paper = within(sheet ?? document.body);
  expect(paper.getAllByText(/^Task \d/)).toHaveLength(6);
  expect(paper.getByText("and 6 more tasks")).toBeTruthy();
  expect(paper.getAllByText(/^Service \d/)).toHaveLength(4);
  expect(paper.getAllByText(/^Note \d/)).toHaveLength(3);
});

it("prints a due task before tasks with later dates that fill the page", async () => {
  const later = Array.from({ length: 6 }, (_, index) => ({
    id: `later${index}`,
    name: `Later ${index}`,
    status: ServiceStatus.GOOD,
    projectedDueDate: "2026-11-27",
  }));
  const due = {
    id: "due",
    name: "Brakes",
    status: ServiceStatus.OVERDUE,
    usageInterval: 50,
    remainingUsage: 0,
  };
  const sheet = await printSheet(world({ tasks: [...later, due] }));
  const paper = within(sheet ?? document.body);
  expect(paper.getByText("Brakes")).toBeTruthy();
  expect(paper.getAllByText(/^Later \d/)).toHaveLength(5);
});
