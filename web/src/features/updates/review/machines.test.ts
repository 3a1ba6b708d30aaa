import { expect, it } from "vitest";
import { at, update } from "../updates.fixture";
import { byMachine, firstRows, unflaggedIds } from "./machines";

const loader = { equipmentId: "l", equipmentName: "loader" };
const crane = { equipmentId: "c", equipmentName: "Crane" };
const flags = ["jump"];
const names = (...list: Parameters<typeof byMachine>) => byMachine(...list).map(({ name }) => name);

it("lists machines with flagged updates first, then by name, case-insensitive", () => {
  const updates = [update("a"), update("b", loader), update("c", crane)];
  expect(names(updates)).toEqual(["Crane", "Excavator", "loader"]);
  expect(names([...updates, update("d", { ...loader, flags })])).toEqual([
    "loader",
    "Crane",
    "Excavator",
  ]);
});

it("leaves a machine where it was when its flagged one has been decided", () => {
  const updates = [update("a"), update("b", loader)];
  expect(names(updates, new Set(["l"]))).toEqual(["loader", "Excavator"]);
});

it("has the updates of a machine in the order in which they were captured", () => {
  const [machine] = byMachine([
    update("late", { capturedAt: at("2026-11-21T09:00:00Z") }),
    update("early", { capturedAt: at("2026-11-21T08:00:00Z") }),
  ]);
  expect(machine?.updates.map(({ id }) => id)).toEqual(["early", "late"]);
});

it("excludes flagged updates and those with a decision in progress", () => {
  const updates = [
    update("a"),
    update("b", { flags }),
    update("c", { belowCurrent: true }),
    update("d", { applying: true }),
    update("e", { late: true }),
  ];
  expect(unflaggedIds(updates)).toEqual(["a", "e"]);
});

it("cuts after the given number of rows, within a machine too", () => {
  const machines = byMachine(["a", "b", "c"].map((id) => update(id)).concat(update("d", loader)));
  const cut = (most: number) => firstRows(machines, most).map(({ updates }) => updates.length);
  expect([cut(2), cut(3), cut(4), cut(9)]).toEqual([[2], [3], [3, 1], [3, 1]]);
});
