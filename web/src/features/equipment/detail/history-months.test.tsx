import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
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
