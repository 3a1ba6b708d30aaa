import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { FuelKind } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { toUsageRequest, usageSchema, type UsageValues } from "./usage-schema";

const values = (more: Partial<UsageValues>): UsageValues => ({
  way: "increase",
  forFuel: false,
  usageIncrease: "",
  reading: "",
  capturedAt: "",
  fuelAdded: "",
  fuelKind: "gas",
  fullFill: false,
  notes: "",
  ...more,
});
const isTaken = (more: Partial<UsageValues>) => v.is(usageSchema, values(more));
const seen = { id: "e1", meterReading: 100 };

describe("a manager's usage entry", () => {
  it.each(["", "0", "-3", "abc"])("refuses %j as an increase", (usageIncrease) => {
    const result = v.safeParse(usageSchema, values({ usageIncrease }));
    expect(result.issues?.map((issue) => issue.message)).toEqual([
      "equipment-dialogs.usage.invalidText",
    ]);
  });

  it("takes a positive number, also with a comma", () => {
    expect(isTaken({ usageIncrease: "8,5" })).toBe(true);
  });

  it("takes fuel alone, but not beside a wrong number", () => {
    expect(isTaken({ fuelAdded: "12" })).toBe(true);
    expect(isTaken({ fuelAdded: "12", usageIncrease: "x" })).toBe(false);
  });

  it("needs fuel if it was opened for fuel, but no usage", () => {
    const result = v.safeParse(usageSchema, values({ forFuel: true }));
    expect(result.issues?.map((issue) => [v.getDotPath(issue), issue.message])).toEqual([
      ["fuelAdded", "equipment-dialogs.usage.fuelMissing"],
    ]);
    expect(isTaken({ forFuel: true, fuelAdded: "12" })).toBe(true);
    expect(isTaken({ forFuel: true, fuelAdded: "12", usageIncrease: "8" })).toBe(true);
  });

  it.each(["usageIncrease", "reading", "fuelAdded"] as const)(
    "refuses a %s that the server refuses",
    (field) => {
      const way = field === "reading" ? "reading" : "increase";
      const of = (text: string) => values({ way, usageIncrease: "8", [field]: text });
      const result = v.safeParse(usageSchema, of("1,000,000,000.01"));
      expect(result.issues?.map((issue) => [v.getDotPath(issue), issue.message])).toEqual([
        [field, "equipment-form.fields.tooLarge"],
      ]);
      expect(v.is(usageSchema, of("1,000,000,000"))).toBe(true);
    },
  );

  it("needs an amount if the tank was filled up", () => {
    const result = v.safeParse(usageSchema, values({ usageIncrease: "8", fullFill: true }));
    expect(result.issues?.map((issue) => [v.getDotPath(issue), issue.message])).toEqual([
      ["fuelAdded", "equipment-dialogs.usage.fullFillAmount"],
    ]);
    expect(isTaken({ fuelAdded: "40", fullFill: true })).toBe(true);
  });

  it("refuses a third decimal and negative fuel", () => {
    expect(isTaken({ usageIncrease: "1.234" })).toBe(false);
    expect(isTaken({ usageIncrease: "1", fuelAdded: "-1" })).toBe(false);
  });

  it("takes a reading of 0 or more, up to now", () => {
    const way = "reading";
    expect(isTaken({ way, reading: "0" })).toBe(true);
    expect(isTaken({ way, reading: "", fuelAdded: "12" })).toBe(true);
    for (const reading of ["", "-1", "x", "1.234"]) expect(isTaken({ way, reading })).toBe(false);
    const read = { way, reading: "5" } as const;
    expect(isTaken({ ...read, capturedAt: "2026-01-05T07:30" })).toBe(true);
    expect(isTaken({ ...read, capturedAt: "2999-01-05T07:30" })).toBe(false);
  });

  it("sends the fuel type only with fuel, and what the form showed only with usage", () => {
    expect(toUsageRequest(seen, values({ usageIncrease: "1,204.5", notes: " x " }))).toEqual({
      id: "e1",
      usageIncrease: 1204.5,
      expectedReading: 100,
      notes: "x",
    });
    const filled = { fuelAdded: "12", fuelKind: "diesel", fullFill: true } as const;
    expect(toUsageRequest(seen, values(filled))).toEqual({
      id: "e1",
      fuelAdded: 12,
      fuelKind: FuelKind.DIESEL,
      fullFill: true,
      notes: "",
    });
  });

  it("sends a reading with its time, without a typed increase", () => {
    const capturedAt = "2026-01-05T07:30";
    const typed = { way: "reading", reading: "512", usageIncrease: "8", capturedAt } as const;
    expect(toUsageRequest(seen, values(typed))).toEqual({
      id: "e1",
      reading: 512,
      expectedReading: 100,
      capturedAt: timestampFromDate(new Date(capturedAt)),
      notes: "",
    });
  });
});
