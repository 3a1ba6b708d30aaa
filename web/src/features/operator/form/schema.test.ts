import { describe, expect, it, test } from "vitest";
import { readEntry } from "../send/outbox-entry";
import {
  emptyUpdate,
  problemsIn,
  toEntry,
  toValues,
  typedReading,
  type UpdateValues,
} from "./schema";

const problems = (values: Partial<UpdateValues>, last: number | null = null) =>
  Object.entries(problemsIn({ ...emptyUpdate, equipmentId: "e1", ...values }, last)).map(
    ([field, text]) => `${field} ${text}`,
  );

describe("the required values", () => {
  test.each<[string, Partial<UpdateValues>, string[]]>([
    ["equipment", { equipmentId: "", notes: "x" }, ["equipmentId operator.errors.noEquipment"]],
    ["some value", {}, ["reading operator.errors.noInformation"]],
    ["more than spaces", { notes: "  " }, ["reading operator.errors.noInformation"]],
    ["fuel above 0", { fuel: "0" }, ["reading operator.errors.noInformation"]],
    ["a reading alone is enough", { reading: "0" }, []],
    ["fuel alone is enough", { fuel: "0.5" }, []],
    ["notes alone are enough", { notes: "Oil leak" }, []],
    ["a readable reading", { reading: "12h" }, ["reading operator.errors.invalidUsage"]],
    ["a reading of 0 or more", { reading: "-1" }, ["reading operator.errors.invalidUsage"]],
    ["two decimals", { reading: "1.234" }, ["reading operator.errors.invalidUsage"]],
    [
      "a reading within the limit",
      { reading: "1000000001" },
      ["reading operator.errors.invalidUsage"],
    ],
    ["readable fuel", { fuel: "full" }, ["fuel operator.errors.invalidFuel"]],
    ["fuel of 0 or more", { reading: "5", fuel: "-2" }, ["fuel operator.errors.invalidFuel"]],
    [
      "an amount if the tank was filled up",
      { reading: "5", fullFill: true },
      ["fuel operator.errors.invalidFuel"],
    ],
    ["an amount of a full tank is fine", { fuel: "40", fullFill: true }, []],
    ["a decimal comma is fine", { reading: "4812,5", fuel: "12,25" }, []],
  ])("%s", (_, values, expected) => {
    expect(problems(values)).toEqual(expected);
  });

  it("limits the reading after the hours added", () => {
    const added = { mode: "added", reading: "5" } as const;
    expect(problems(added, 1e9 - 1)).toEqual(["reading operator.errors.invalidUsage"]);
    expect(problems(added, 1e9 - 5)).toEqual([]);
    expect(problems(added)).toEqual([]);
  });
});

describe("the entry of a form", () => {
  const made = { clientId: "c1", now: new Date("2026-11-20T08:15:00Z") };
  const values: UpdateValues = {
    equipmentId: "e1",
    mode: "reading",
    reading: "4812,5",
    fuel: "0",
    fuelKind: "diesel",
    fullFill: true,
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
      fullFill: true,
      notes: "Belt squeals",
      state: "waiting",
      reason: null,
      failures: 0,
    });
  });

  it("survives storage and conversion back to form values", () => {
    const entry = toEntry({ ...values, fuel: "8" }, { id: "e1", name: "Excavator" }, made);
    expect(readEntry(structuredClone(entry))).toEqual(entry);
    expect(toValues(entry)).toEqual({
      ...values,
      reading: "4812.5",
      fuel: "8",
      notes: "Belt squeals",
    });
  });
});

describe("the typed reading", () => {
  test.each<[string, "reading" | "added", string, number | null, number | null]>([
    ["a meter reading", "reading", "4812.5", 4804.1, 4812.5],
    ["a decimal comma", "reading", "4812,5", 4804.1, 4812.5],
    ["a reading without a last reading", "reading", "4812.5", null, 4812.5],
    ["hours added to the last one", "added", "8.4", 4804.1, 4812.5],
    ["rounded to hundredths", "added", "0.2", 0.1, 0.3],
    ["0 hours added", "added", "0", 4804.1, 4804.1],
    ["an empty text", "added", "", 4804.1, null],
    ["hours added without a last reading", "added", "8", null, null],
    ["not a number", "reading", "12h", 4804.1, null],
    ["below zero", "added", "-3", 4804.1, null],
  ])("%s", (_, mode, reading, last, expected) => {
    expect(typedReading({ mode, reading }, last)).toBe(expected);
  });

  it("is stored as an increase, with the reading for earlier versions", () => {
    const made = { clientId: "c1", now: new Date("2026-11-20T08:15:00Z") };
    const values: UpdateValues = {
      ...emptyUpdate,
      equipmentId: "e1",
      mode: "added",
      reading: "8,4",
    };
    const about = { id: "e1", name: "Excavator", lastReading: 4804.1, unit: "hours" } as const;
    const added = toEntry(values, about, made);
    expect(added).toMatchObject({ increase: 8.4, reading: 4812.5, unit: "hours" });
    expect(toValues(added)).toMatchObject({ mode: "added", reading: "8.4" });
    const nothing = toEntry({ ...values, reading: "0" }, about, made);
    expect(nothing).toMatchObject({ reading: null });
    expect(nothing).not.toHaveProperty("increase");
  });

  it("needs more than 0 hours without anything else", () => {
    const zero = { ...emptyUpdate, equipmentId: "e1", mode: "added", reading: "0" } as const;
    expect(problemsIn(zero, 10)).toEqual({ reading: "operator.errors.noInformation" });
    expect(problemsIn({ ...zero, notes: "x" }, 10)).toEqual({});
  });
});
