import * as v from "valibot";
import { describe, expect, it, test } from "vitest";
import { readEntries } from "./outbox-entry";
import { emptyUpdate, toEntry, toValues, updateSchema, type UpdateValues } from "./schema";

const problems = (values: Partial<UpdateValues>) => {
  const result = v.safeParse(updateSchema, { ...emptyUpdate, equipmentId: "e1", ...values });
  return (result.issues ?? []).map((issue) => `${v.getDotPath(issue)} ${issue.message}`);
};

describe("what an operator must give", () => {
  test.each<[string, Partial<UpdateValues>, string[]]>([
    ["equipment", { equipmentId: "", notes: "x" }, ["equipmentId operator.errors.noEquipment"]],
    ["something", {}, ["reading operator.errors.noInformation"]],
    ["something besides spaces", { notes: "  " }, ["reading operator.errors.noInformation"]],
    ["fuel above 0", { fuel: "0" }, ["reading operator.errors.noInformation"]],
    ["a reading alone is enough", { reading: "0" }, []],
    ["fuel alone is enough", { fuel: "0.5" }, []],
    ["notes alone are enough", { notes: "Oil leak" }, []],
    ["a readable reading", { reading: "12h" }, ["reading operator.errors.invalidUsage"]],
    ["a reading of 0 or more", { reading: "-1" }, ["reading operator.errors.invalidUsage"]],
    ["two decimals", { reading: "1.234" }, ["reading operator.errors.invalidUsage"]],
    ["a possible reading", { reading: "1000000001" }, ["reading operator.errors.invalidUsage"]],
    ["readable fuel", { fuel: "full" }, ["fuel operator.errors.invalidFuel"]],
    ["fuel of 0 or more", { reading: "5", fuel: "-2" }, ["fuel operator.errors.invalidFuel"]],
    ["a decimal comma is fine", { reading: "4812,5", fuel: "12,25" }, []],
  ])("%s", (_, values, expected) => {
    expect(problems(values)).toEqual(expected);
  });
});

describe("the entry", () => {
  const made = { clientId: "c1", now: new Date("2026-11-20T08:15:00Z") };
  const values: UpdateValues = {
    equipmentId: "e1",
    reading: "4812,5",
    fuel: "0",
    fuelKind: "diesel",
    notes: "  Belt squeals ",
  };

  it("has numbers, trimmed notes, and no fuel of 0", () => {
    expect(toEntry(values, { id: "e1", name: "Excavator" }, made)).toEqual({
      clientId: "c1",
      capturedAt: "2026-11-20T08:15:00.000Z",
      equipmentId: "e1",
      equipmentName: "Excavator",
      reading: 4812.5,
      fuelAdded: null,
      fuelKind: "diesel",
      notes: "Belt squeals",
      state: "waiting",
      reason: null,
      failures: 0,
    });
  });

  it("survives the way through the store and back into the form", () => {
    const entry = toEntry({ ...values, fuel: "8" }, { id: "e1", name: "Excavator" }, made);
    const [stored] = readEntries([structuredClone(entry), { old: true }, null]);
    expect(stored).toEqual(entry);
    expect(toValues(entry)).toEqual({
      ...values,
      reading: "4812.5",
      fuel: "8",
      notes: "Belt squeals",
    });
    expect(readEntries("broken")).toEqual([]);
  });
});
