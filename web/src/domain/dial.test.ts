import { describe, expect, it } from "vitest";
import { dialOffset, hasEarlierMeters, lifeToDate, onDial } from "./dial";
import { afterMeterEnd, nextRollover } from "./meter-end";

const only = { currentUsage: 4812.5, meterReading: 4812.5 };
const second = { currentUsage: 4824.5, meterReading: 12.3 };
const ahead = { currentUsage: 500, meterReading: 9000 };

describe("what the dial shows and life-to-date usage", () => {
  it("are the same with the first meter", () => {
    expect([dialOffset(only), hasEarlierMeters(only)]).toEqual([0, false]);
    expect([onDial(only, 4750), lifeToDate(only, 4750)]).toEqual([4750, 4750]);
  });

  it("are apart by what earlier meters counted", () => {
    expect([dialOffset(second), hasEarlierMeters(second)]).toEqual([4812.2, true]);
    expect(onDial(second, 5250)).toBe(437.8);
    expect(lifeToDate(second, 437.8)).toBe(5250);
  });

  it("may be apart the other way, where a used meter was fitted", () => {
    expect(dialOffset(ahead)).toBe(-8500);
    expect(onDial(ahead, 750)).toBe(9250);
  });

  it("go below 0 on the dial for a point that was passed on the previous meter", () => {
    expect(onDial(second, 4750)).toBe(-62.2);
  });

  it.each([
    [0.1, 0.3],
    [1_000_000_000, 0.01],
    [1204.07, 1204.07],
  ])("keep no floating remainder: %d, %d", (currentUsage, meterReading) => {
    const machine = { currentUsage, meterReading };
    expect(lifeToDate(machine, onDial(machine, 77.77))).toBe(77.77);
  });
});

describe("a meter that ends", () => {
  it.each([
    ["at its reading, and the next starts at 0", { final: 4812.5, start: 0, reading: 0 }, 4812.5],
    ["later than it was read", { final: 4820, start: 0, reading: 0 }, 4820],
    ["and the next was read already", { final: 4812.5, start: 3, reading: 15.4 }, 4824.9],
    ["at its highest value", { final: 10_000, start: 0, reading: 4.2 }, 10_004.2],
  ])("%s", (_, end, life) => {
    const after = { currentUsage: life, meterReading: end.reading };
    expect(afterMeterEnd(only, end)).toEqual(after);
  });

  it("goes on from a machine's second meter too", () => {
    expect(afterMeterEnd(second, { final: 20.3, start: 0, reading: 0.1 })).toEqual({
      currentUsage: 4832.6,
      meterReading: 0.1,
    });
  });
});

it.each([
  [0, 1000],
  [999.9, 1000],
  [1000, 10_000],
  [9999.99, 10_000],
  [10_000, 100_000],
  [99_999.9, 100_000],
  [100_000, 1_000_000],
  [123_456, 1_000_000],
])("a meter that shows %d begins again at %d", (reading, at) => {
  expect(nextRollover(reading)).toBe(at);
});
