import { describe, expect, it } from "vitest";
import { mergeOf, take } from "./merge";
import { blankPart, blankValues } from "./values";

const base = {
  ...blankValues,
  name: "Excavator",
  type: "machinery",
  unit: "hours",
  currentUsage: "4812.5",
  serviceInterval: "250",
  lastServiceUsage: "4600",
};

const merge = (theirs: Partial<typeof base>, mine: Partial<typeof base>) =>
  mergeOf(base, { ...base, ...theirs }, { ...base, ...mine });

describe("two edits of one machine", () => {
  it("are merged if they touch different fields", () => {
    expect(merge({ currentUsage: "4820" }, { name: "Digger" })).toEqual({
      conflicts: [],
      theirs: ["currentUsage"],
    });
  });

  it("conflict if both changed the same field differently", () => {
    expect(merge({ name: "CAT 320", fuel: "diesel" }, { name: "Digger" })).toEqual({
      conflicts: ["name"],
      theirs: ["fuel"],
    });
  });

  it("don't conflict in equal values, however they were typed", () => {
    expect(merge({ currentUsage: "4820" }, { currentUsage: "4,820.00" })).toEqual({
      conflicts: [],
      theirs: [],
    });
    expect(merge({ name: "Digger" }, { currentUsage: "4,812.50" })).toEqual({
      conflicts: [],
      theirs: ["name"],
    });
  });

  it("conflict in the schedule as a whole", () => {
    const schedule = {
      hasScheduledMaintenance: true,
      maintenanceStartDate: "2026-01-01",
      maintenanceInterval: "3",
    };
    expect(merge(schedule, { ...schedule, maintenanceInterval: "6" }).conflicts).toEqual([
      "schedule",
    ]);
  });

  it("conflict in the parts as a list", () => {
    const part = (name: string) => ({ serviceParts: [{ ...blankPart, part: name }] });
    expect(merge(part("Filter"), part("Belt")).conflicts).toEqual(["serviceParts"]);
    expect(merge(part("Filter"), { serviceParts: [blankPart, blankPart] })).toEqual({
      conflicts: [],
      theirs: ["serviceParts"],
    });
  });

  it("conflict in a figure whose unit was changed", () => {
    expect(merge({ unit: "miles" }, { currentUsage: "4900", name: "Digger" })).toEqual({
      conflicts: ["currentUsage"],
      theirs: ["unit"],
    });
  });

  it("lose nothing: all fields of a topic are taken, and no other", () => {
    const theirs = { ...base, hasScheduledMaintenance: true, maintenanceInterval: "3", name: "X" };
    expect(take({ ...base, name: "Digger" }, theirs, ["schedule"])).toEqual({
      ...base,
      name: "Digger",
      hasScheduledMaintenance: true,
      maintenanceInterval: "3",
    });
  });
});
