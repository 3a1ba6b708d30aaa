import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { renderHook } from "@testing-library/react";
import i18next from "i18next";
import { afterEach, describe, expect, it } from "vitest";
import {
  CorrectionSchema,
  FuelKind,
  HistoryRecordSchema,
  MeterUnit,
  type SentValuesSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useCorrectionText } from "./correction-text";

const { HOURS, MILES } = MeterUnit;
const { GAS, DIESEL } = FuelKind;
const applied = { reading: 7038, unit: HOURS, fuelAdded: 12, fuelKind: DIESEL };

function textOf(
  sent: MessageInitShape<typeof SentValuesSchema>,
  more: MessageInitShape<typeof HistoryRecordSchema> = {},
): string {
  const { result } = renderHook(() => useCorrectionText());
  const correction = create(CorrectionSchema, { by: "Dana", sent });
  return result.current(
    create(HistoryRecordSchema, { ...applied, operatorName: "María", correction, ...more }),
  );
}

afterEach(async () => {
  await i18next.changeLanguage("en");
});

describe("what an operator sent", () => {
  const same = { reading: 7038, unit: HOURS, fuelAdded: 12, fuelKind: DIESEL };
  it.each([
    ["a reading", { ...same, reading: 7083 }, {}, "7,083 hours"],
    ["a reading in another unit", { ...same, unit: MILES }, {}, "7,038 miles"],
    ["an increase", { ...same, reading: undefined, usageIncrease: 8.4 }, {}, "+8.4 h"],
    ["no reading", { ...same, reading: undefined }, {}, "no reading"],
    ["an amount of fuel", { ...same, fuelAdded: 120 }, {}, "120.0 gal diesel"],
    ["a kind of fuel", { ...same, fuelKind: GAS }, {}, "12.0 gal gas"],
    ["no fuel", { ...same, fuelAdded: 0 }, {}, "no fuel"],
    ["fuel that was not applied", same, { fuelAdded: 0 }, "12.0 gal diesel"],
    ["both", { ...same, reading: 7083, fuelAdded: 120 }, {}, "7,083 hours, 120.0 gal diesel"],
    [
      "fuel beside the same increase",
      { usageIncrease: 8.4, unit: HOURS, fuelAdded: 120, fuelKind: DIESEL },
      { reading: undefined },
      "120.0 gal diesel",
    ],
  ])("is named where it differs: %s", (_, sent, more, text) => {
    expect(textOf(sent, more)).toBe(`Corrected by Dana; María sent ${text}`);
  });

  it("is not named if it is what was applied", () => {
    expect(textOf(same)).toBe("");
    expect(textOf(same, { correction: undefined })).toBe("");
  });

  it("is named in Spanish", async () => {
    await i18next.changeLanguage("es");
    expect(textOf({ ...same, reading: undefined, fuelAdded: 0 })).toBe(
      "Corregido por Dana; María envió: sin lectura, sin combustible",
    );
  });
});
