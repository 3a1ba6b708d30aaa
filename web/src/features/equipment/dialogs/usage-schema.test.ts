import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { FuelKind } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { toUsageRequest, usageSchema, type UsageValues } from "./usage-schema";

const values = (more: Partial<UsageValues>): UsageValues => ({
  usageIncrease: "",
  fuelAdded: "",
  fuelKind: "gas",
  notes: "",
  ...more,
});

describe("a manager's usage entry", () => {
  it.each(["", "0", "-3", "abc"])("refuses %j as an increase", (usageIncrease) => {
    const result = v.safeParse(usageSchema, values({ usageIncrease }));
    expect(result.issues?.map((issue) => issue.message)).toEqual(["equipment.usage.invalidText"]);
  });

  it("takes a positive number, also with a comma", () => {
    expect(v.is(usageSchema, values({ usageIncrease: "8,5" }))).toBe(true);
  });

  it("takes fuel alone, but not beside a wrong number", () => {
    expect(v.is(usageSchema, values({ fuelAdded: "12" }))).toBe(true);
    expect(v.is(usageSchema, values({ fuelAdded: "12", usageIncrease: "x" }))).toBe(false);
  });

  it("refuses a third decimal and negative fuel", () => {
    expect(v.is(usageSchema, values({ usageIncrease: "1.234" }))).toBe(false);
    expect(v.is(usageSchema, values({ usageIncrease: "1", fuelAdded: "-1" }))).toBe(false);
  });

  it("sends the fuel type only with fuel", () => {
    expect(toUsageRequest("e1", values({ usageIncrease: "1,204.5", notes: " x " }))).toEqual({
      id: "e1",
      usageIncrease: 1204.5,
      notes: "x",
    });
    expect(toUsageRequest("e1", values({ fuelAdded: "12", fuelKind: "diesel" }))).toEqual({
      id: "e1",
      fuelAdded: 12,
      fuelKind: FuelKind.DIESEL,
      notes: "",
    });
  });
});
