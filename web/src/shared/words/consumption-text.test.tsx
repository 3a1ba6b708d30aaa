import { create } from "@bufbuild/protobuf";
import { renderHook } from "@testing-library/react";
import i18next from "i18next";
import { afterEach, describe, expect, it } from "vitest";
import { EquipmentFuelUseSchema, MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { consumptionOf } from "#/domain/fuel-consumption";
import { useConsumptionText } from "./consumption-text";

describe("the consumption", () => {
  it.each([
    ["miles", "gal", 18.4, "MPG"],
    ["miles", "L", 18.4, "mi/L"],
    ["kilometers", "gal", 18.4, "km/gal"],
    ["kilometers", "L", 5.434_782_608_695_652, "L/100 km"],
    ["hours", "gal", 0.054_347_826_086_956_52, "gal/h"],
    ["hours", "L", 0.054_347_826_086_956_52, "L/h"],
  ] as const)("of %s with %s has the usual unit", (meter, fuelUnit, value, unit) => {
    const found = consumptionOf({ fuel: 10, usage: 184 }, meter, fuelUnit);
    expect(found?.unit).toBe(unit);
    expect(found?.value).toBeCloseTo(value, 10);
  });

  it("is unknown without a meter, fuel or usage", () => {
    expect(consumptionOf({ fuel: 10, usage: 5 }, "n/a", "gal")).toBeNull();
    expect(consumptionOf({ fuel: 0, usage: 5 }, "miles", "gal")).toBeNull();
    expect(consumptionOf({ fuel: 10, usage: 0 }, "miles", "gal")).toBeNull();
  });
});

describe("its text", () => {
  afterEach(async () => {
    await i18next.changeLanguage("en");
  });

  const textOf = (fuel: number, usage: number, fills: number, excluded = 0) => {
    const { result } = renderHook(() => useConsumptionText());
    const consumption = { fuel, usage, fills, excluded };
    return result.current(create(EquipmentFuelUseSchema, { unit: MeterUnit.HOURS, consumption }));
  };

  it("has the number format of the language and says over how many fills", async () => {
    expect(textOf(23_456, 10, 6, 1)).toEqual({
      amount: "2,345.6 gal/h",
      basis: "over 6 fills, 1 excluded",
    });
    expect(textOf(23.51, 10, 6)).toEqual({
      amount: "2.35 gal/h",
      basis: "over 6 fills",
    });
    expect(textOf(25, 10, 0)).toEqual({
      amount: "2.5 gal/h",
      basis: "estimate, too few full fills",
    });
    await i18next.changeLanguage("es");
    expect(textOf(23_456, 10, 6, 1)).toEqual({
      amount: "2,345.6 gal/h",
      basis: "con 6 tanques llenos, 1 sin contar",
    });
    expect(textOf(23.51, 10, 6)?.basis).toBe("con 6 tanques llenos");
    expect(textOf(25, 10, 0)?.basis).toBe("estimación, faltan tanques llenos");
  });
});
