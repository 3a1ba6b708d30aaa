import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { RetiredEquipmentSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { searchArchive, totalsOf } from "./archive";

const retired = (more: MessageInitShape<typeof RetiredEquipmentSchema>) =>
  create(RetiredEquipmentSchema, more);

const rows = [
  retired({ name: "Excavator", serialNumber: "KMT-138", totalFuelUsed: 0.1, retiredBy: "Dana" }),
  retired({
    name: "Old Ford",
    unitNumber: "T-12",
    group: "Cuadrilla Norteña",
    retirementNotes: "Sold at auction",
    totalFuelUsed: 0.2,
  }),
  retired({ name: "Saw", retirementNotes: "  ", totalFuelUsed: 37.4 }),
];

describe("the search", () => {
  it.each([
    [undefined, 3],
    ["  ", 3],
    ["EXCAV", 1],
    ["éxcav", 1],
    ["kmt", 1],
    ["t-12", 1],
    ["nortena", 1],
    ["auction", 1],
    [" dana ", 1],
    ["zzz", 0],
  ])("%s finds %i", (search, count) => {
    expect(searchArchive(rows, search).length).toBe(count);
  });
});

describe("the totals", () => {
  it("count rows, fuel to the hundredth, and notes that say something", () => {
    expect(totalsOf(rows)).toEqual({ count: 3, fuel: 37.7, withNotes: 1 });
    expect(totalsOf([])).toEqual({ count: 0, fuel: 0, withNotes: 0 });
  });

  it("do not drift", () => {
    const dimes = Array.from({ length: 1000 }, () => retired({ totalFuelUsed: 0.1 }));
    expect(totalsOf(dimes).fuel).toBe(100);
  });
});
