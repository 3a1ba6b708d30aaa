import { describe, expect, it } from "vitest";
import { quickMachinesOf } from "./quick-machines-of";
import type { FieldMachine } from "../offline-data/machines";

const machine = (equipmentId: string) =>
  ({
    equipmentId,
    name: equipmentId,
    serialNumber: null,
    unitNumber: null,
    type: "machinery",
    unit: "hours",
    fuel: "diesel",
    meterReading: 0,
    meterReadAt: null,
    usualDailyUse: null,
    usualFill: null,
    serviceStatus: "good",
    operationalStatus: "in_use",
  }) satisfies FieldMachine;

const machines = [machine("a"), machine("b"), machine("c")];

const ids = (found: readonly FieldMachine[]) => found.map((each) => each.equipmentId);

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
