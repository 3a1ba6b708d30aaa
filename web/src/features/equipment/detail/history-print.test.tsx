import { create } from "@bufbuild/protobuf";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import {
  HistoryKind,
  VoidingSchema,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { PrintReport } from "#/shared/print/print-report";
import { currentPrintJob, setPrintJob } from "#/shared/print/store";
import { day, openDetail, record, world } from "./detail.fixture";

beforeEach(() => setPrintJob(null));

/** The rows on paper. */
async function printed(records: HistoryRecord[]): Promise<HTMLElement[]> {
  vi.spyOn(window, "print").mockImplementation(() => undefined);
  await openDetail(world({ records }), "?tab=history");
  await screen.findByRole("list", { name: "History" });
  fireEvent.click(screen.getByRole("button", { name: "Print" }));
  await waitFor(() => expect(currentPrintJob()).not.toBeNull());
  const job = currentPrintJob();
  cleanup();
  if (job) render(<PrintReport {...job} />);
  return screen.getAllByRole("row").slice(1);
}
const cells = (row: HTMLElement | undefined) =>
  Array.from(row?.children ?? [], (cell) => cell.textContent);

it("prints all entries", async () => {
  const rows = await printed([record({ id: "a" }), record({ id: "b" })]);
  expect(screen.getByRole("heading").textContent).toBe("Equipment History: Excavator");
  expect(screen.getByText("CAT0320 · 2 entries")).toBeTruthy();
  expect(rows).toHaveLength(2);
});

it("prints the time of a reading and the day of a service, and when they were entered", async () => {
  const [reading, service, late, now] = await printed([
    record({ id: "reading", usage: 4812.5, capturedAt: day("2026-11-18") }),
    record({ id: "service", kind: HistoryKind.SERVICE, performedOn: "2026-11-17", cost: 80 }),
    record({ id: "late", reading: 4771, capturedAt: day("2026-11-16") }),
    record({ id: "now", usage: 4800, capturedAt: day("2026-11-20") }),
  ]);
  const entered = "entered Nov 20, 2026, 12:00 PM";
  const by = "Maria López";
  expect(cells(reading)).toEqual([
    "Nov 18, 2026, 12:00 PM",
    "Usage update",
    by,
    "4,812.5 hours",
    "",
    entered,
  ]);
  expect(cells(service)).toEqual(["Nov 17, 2026", "Service", by, "", "", `$80.00 · ${entered}`]);
  expect(cells(late)[5]).toBe(
    `Reading 4,771 hours, reported too late to change the meter · ${entered}`,
  );
  expect(cells(now)).toEqual(["Nov 20, 2026, 12:00 PM", "Usage update", by, "4,800 hours", "", ""]);
});

it("strikes through what a voided entry states", async () => {
  const voiding = create(VoidingSchema, { by: "Ana Ruiz", reason: "typo", at: day("2026-11-21") });
  const [row] = await printed([record({ usage: 48_125, content: "Squeaks", voiding })]);
  expect(Array.from(row?.querySelectorAll("s") ?? [], (struck) => struck.textContent)).toEqual([
    "Usage update",
    "48,125 hours",
    "Squeaks",
  ]);
  expect(cells(row)[5]).toBe("Squeaks Voided by Ana Ruiz on Nov 21, 2026: typo");
});
