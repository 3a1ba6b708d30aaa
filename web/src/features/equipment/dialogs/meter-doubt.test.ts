import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { EquipmentSchema, MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { meterDoubt } from "./meter-doubt";
import type { KnownMeter } from "./meter-on";

const at = (day: string) => new Date(`${day}T15:00:00Z`);
const machine = create(EquipmentSchema, {
  unit: MeterUnit.HOURS,
  meterReading: 1000,
  meterReadAt: timestampFromDate(at("2026-11-20")),
});
const known = (day: string, dial: number): KnownMeter => ({
  day,
  at: at(day),
  dial,
  usage: dial,
});
const readings = {
  earlier: known("2026-11-08", 900),
  before: known("2026-11-10", 920),
  after: known("2026-11-12", 940),
};

describe("meterDoubt of a service of today", () => {
  const now = at("2026-11-22");
  it.each([
    [999.9, "below"],
    [1000, undefined],
    // 24 hours on each of two days.
    [1048, undefined],
    [1048.1, "jump"],
    [99_999, "jump"],
  ])("at %d hours is %s", (meter, reason) => {
    expect(meterDoubt(machine, meter, null, now)?.reason).toBe(reason);
  });

  it("has nothing to compare with before the first reading", () => {
    const unread = create(EquipmentSchema, { unit: MeterUnit.HOURS });
    expect(meterDoubt(unread, 99_999, null, now)).toBeNull();
  });
});

describe("meterDoubt of a past service", () => {
  const until = new Date("2026-11-10T23:59:59Z");
  it.each([
    [899.9, "below", 900],
    [900, undefined, undefined],
    // Below a reading of the same day, which may be later.
    [919, undefined, undefined],
    [940, undefined, undefined],
    [940.1, "above", 940],
  ])("at %d hours is %s", (meter, reason, dial) => {
    const doubt = meterDoubt(machine, meter, readings, until);
    expect([doubt?.reason, doubt?.known.dial]).toEqual([reason, dial]);
  });

  it("after the last reading is limited by what the machine can have run", () => {
    const last = { ...readings, after: undefined };
    expect(meterDoubt(machine, 956, last, until)).toBeNull();
    expect(meterDoubt(machine, 957, last, until)?.reason).toBe("jump");
  });

  it("before all readings has nothing to be below", () => {
    const first = { earlier: undefined, before: undefined, after: readings.after };
    expect(meterDoubt(machine, 1, first, until)).toBeNull();
    expect(meterDoubt(machine, 941, first, until)?.reason).toBe("above");
  });
});
