import { describe, expect, it, test } from "vitest";
import { closeAtHand, findMachines } from "./find-machines";
import type { FieldMeter } from "../offline-data/meters";

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
  }) satisfies FieldMeter;

const machines = [
  machine("a", "Grúa 3", "XK-77", "GR-9"),
  machine("b", "Mini excavator", "0O1I8B2C"),
  machine("c", "Excavator 3"),
];

const ids = (found: readonly FieldMeter[]) => found.map((each) => each.equipmentId);

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

describe("the machines at hand", () => {
  it("are the pinned ones, then those used last, each once while it exists", () => {
    expect(ids(closeAtHand(machines, ["b"], ["gone", "c", "b", "c", "a"]))).toEqual([
      "b",
      "c",
      "a",
    ]);
  });

  it("are few, but all that are pinned", () => {
    expect(ids(closeAtHand(machines, [], ["c", "b", "a"], 2))).toEqual(["c", "b"]);
    expect(ids(closeAtHand(machines, ["a", "b", "c"], [], 2))).toEqual(["a", "b", "c"]);
  });
});
