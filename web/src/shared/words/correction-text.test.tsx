import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { renderHook } from "@testing-library/react";
import i18next from "i18next";
import { afterEach, describe, expect, it } from "vitest";
import {
  CorrectionSchema,
  FuelKind,
  HistoryRecordSchema,
  MeterChange,
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
  change: { reportedEquipmentName?: string; setBack?: boolean } = {},
): string {
  const { result } = renderHook(() => useCorrectionText());
  const correction = create(CorrectionSchema, { by: "Dana", sent, ...change });
  return result.current(
    create(HistoryRecordSchema, { ...applied, operatorName: "María", correction, ...more }),
  );
}

afterEach(async () => {
  await i18next.changeLanguage("en");
});

const same = { reading: 7038, unit: HOURS, fuelAdded: 12, fuelKind: DIESEL };

describe("what an operator sent", () => {
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

describe("a reading that a manager decided", () => {
  const setBack = { setBack: true };
  const moved = { reportedEquipmentName: "SS-02" };
  const replacement = { finalReading: 7040, startReading: 7030 };
  const start = { reading: 7030, usage: 7048, usageBefore: 7040 };
  const replaced = {
    ...start,
    meterReplacement: { ...replacement, change: MeterChange.REPLACED },
  };
  const rolledOver = {
    ...start,
    meterReplacement: { ...replacement, change: MeterChange.ROLLED_OVER },
  };

  it.each([
    ["a replaced meter", same, replaced, {}, "Meter replaced by Dana; María sent 7,038 hours"],
    [
      "a replaced meter with corrected fuel",
      { ...same, fuelAdded: 120 },
      replaced,
      {},
      "Meter replaced by Dana; María sent 7,038 hours, 120.0 gal diesel",
    ],
    [
      "a reading equal to the start of the new meter",
      { ...same, reading: 7030 },
      replaced,
      {},
      "Meter replaced by Dana; María sent 7,030 hours",
    ],
    [
      "a meter that rolled over",
      same,
      rolledOver,
      {},
      "Marked as rolled over by Dana; María sent 7,038 hours",
    ],
    ["a meter that was set back", same, {}, setBack, "Set back by Dana"],
    [
      "a corrected reading below the meter",
      { ...same, reading: 7083 },
      {},
      setBack,
      "Set back by Dana · Corrected by Dana; María sent 7,083 hours",
    ],
    [
      "a meter that was set back, with corrected fuel",
      { ...same, fuelAdded: 120 },
      {},
      setBack,
      "Set back by Dana · Corrected by Dana; María sent 120.0 gal diesel",
    ],
    ["another machine", same, {}, moved, "Reported for SS-02 by María, moved by Dana"],
    [
      "another machine and a corrected reading",
      { ...same, reading: 7083 },
      {},
      moved,
      "Reported for SS-02 by María, moved by Dana · Corrected by Dana; María sent 7,083 hours",
    ],
  ])("is named: %s", (_, sent, more, change, text) => {
    expect(textOf(sent, more, change)).toBe(text);
  });

  it("is named in Spanish", async () => {
    await i18next.changeLanguage("es");
    expect(textOf(same, replaced, moved)).toBe(
      "María lo reportó para SS-02; lo pasó Dana · Medidor cambiado por Dana; María envió: 7,038 horas",
    );
    expect(textOf(same, rolledOver)).toContain("Vuelta del medidor registrada por Dana; María");
    expect(textOf(same, {}, setBack)).toBe("Medidor regresado por Dana");
  });
});
