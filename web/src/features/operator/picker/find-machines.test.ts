import { describe, expect, it, test } from "vitest";
import { findMachines } from "./find-machines";
import { quickMachinesOf } from "./quick-machines-of";
import type { FieldMachine } from "../offline-data/machines";

const machine = (
  equipmentId: string,
  name: string,
  serialNumber: string | null = null,
  unitNumber: string | null = null,
) =>
  ({
    equipmentId,
    name,
    serialNumber,
    unitNumber,
    type: "machinery",
    unit: "hours",
    fuel: "diesel",
    meterReading: 0,
    meterReadAt: null,
    usualDailyUse: null,
    usualFill: null,
    serviceStatus: "good",
  }) satisfies FieldMachine;

const machines = [
  machine("a", "Grúa 3", "XK-77", "GR-9"),
  machine("b", "Mini excavator", "0O1I8B2C"),
  machine("c", "Excavator 3"),
];

const ids = (found: readonly FieldMachine[]) => found.map((each) => each.equipmentId);

test.each<[string, string, string[]]>([
  ["accents need not be typed", "grua", ["a"]],
  ["by serial, in any case", "0o1i", ["b"]],
  ["names that begin with it first", "excav", ["c", "b"]],
  ["every word counts, in any order", "3 exc", ["c"]],
  ["the unit number", "gr-9", ["a"]],
  ["nothing", "crane", []],
])("%s", (_, search, expected) => {
  expect(ids(findMachines(machines, search))).toEqual(expected);
});

describe("quick machines", () => {
  it("are the pinned and then the last used machines, without duplicates and removed ones", () => {
    expect(ids(quickMachinesOf(machines, ["b"], ["gone", "c", "b", "c", "a"]))).toEqual([
      "b",
      "a",
      "c",
    ]);
  });

  it("keep their places after a report", () => {
    expect(ids(quickMachinesOf(machines, [], ["a", "b"]))).toEqual(["a", "b", "c"]);
    expect(ids(quickMachinesOf(machines, [], ["c", "a", "b"]))).toEqual(["a", "b", "c"]);
    expect(ids(quickMachinesOf(machines, ["c", "b"], ["a"]))).toEqual(["c", "b", "a"]);
  });

  it("are all machines if there are few", () => {
    expect(ids(quickMachinesOf(machines, [], ["b"], 3))).toEqual(["a", "b", "c"]);
    expect(ids(quickMachinesOf(machines, [], ["b"], 2))).toEqual(["b"]);
  });

  it("are limited, except for pinned machines", () => {
    expect(ids(quickMachinesOf(machines, [], ["c", "b", "a"], 2))).toEqual(["b", "c"]);
    expect(ids(quickMachinesOf(machines, ["a", "b", "c"], [], 2))).toEqual(["a", "b", "c"]);
  });
});
