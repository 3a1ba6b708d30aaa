import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { HistoryKind } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { day, openDetail, record, world } from "./detail.fixture";

it("begins each month of the history with its name, and readings with their figures", async () => {
  const on = (date: string) =>
    record({ id: date, usageBefore: 4750, usage: 4800, createdAt: day(date) });
  const records = [on("2026-11-20"), on("2026-11-02"), on("2026-10-30")];
  await openDetail(world({ records }), "?tab=history");
  const list = within(await screen.findByRole("list", { name: "History" }));
  const headings = list.getAllByRole("heading", { level: 3 });
  expect(headings.map(({ textContent }) => textContent)).toEqual(["November 2026", "October 2026"]);
  expect(list.getAllByRole("listitem")[1]?.textContent).toMatch(
    /^4,750 → 4,800 hours \(\+50 h\)Usage update · /,
  );
});

it("puts a late entry in the month of its reading or service", async () => {
  const late = { createdAt: day("2026-12-01") };
  const records = [
    record({ id: "now", capturedAt: day("2026-12-01"), ...late }),
    record({ id: "reading", usage: 4800, capturedAt: day("2026-11-30"), ...late }),
    record({ id: "service", kind: HistoryKind.SERVICE, performedOn: "2026-10-31", ...late }),
  ];
  await openDetail(world({ records }), "?tab=history");
  const list = within(await screen.findByRole("list", { name: "History" }));
  expect(list.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^December 2026.*Dec 1, 2026, 12:00 PMVoid$/),
    expect.stringMatching(
      /^November 2026.*Nov 30, 2026, 12:00 PM · entered Dec 1, 2026, 12:00 PMVoid$/,
    ),
    expect.stringMatching(/^October 2026.*Oct 31, 2026 · entered Dec 1, 2026, 12:00 PMEditVoid$/),
  ]);
});
