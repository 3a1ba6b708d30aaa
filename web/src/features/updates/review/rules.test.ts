import { describe, expect, it } from "vitest";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  EquipmentSchema,
  MeterSchema,
  MeterUnit,
  ServiceTaskSchema,
  TaskBasis,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { UpdateStatus } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { jumpOf } from "../flags";
import { at, update } from "../updates.fixture";
import { fitting, searched } from "./candidates";
import { readingOf } from "./reading";
import { isLate } from "../late";
import { loweredTasks } from "./lowered-tasks";
import { computedReadings, fixesOf, likelyFixes, mainAct, mayOnlyMove } from "./fixes";

it("an update of a machine that is gone or has no meter can only be moved", () => {
  const meterless = create(EquipmentSchema, { unit: MeterUnit.NOT_APPLICABLE });
  const machines = {
    get: (id: string) => (id === "e4" ? meterless : undefined),
    has: (id: string) => id === "e4",
    isGone: (id: string) => id === "sold",
  };
  const wrongUnit = { equipmentId: "e4", flags: ["wrong_unit"] };
  expect(mayOnlyMove(update("a", wrongUnit), machines)).toBe(true);
  // Such a machine may count in its own way.
  expect(mayOnlyMove(update("a", { equipmentId: "e4" }), machines)).toBe(false);
  expect(mayOnlyMove(update("a", { equipmentId: "sold" }), machines)).toBe(true);
  expect(mayOnlyMove(update("a", { equipmentId: "loading" }), machines)).toBe(false);
  expect(mayOnlyMove(update("a", wrongUnit), undefined)).toBe(false);
});

describe("a late one", () => {
  const meterReadAt = at("2026-11-20T12:00:00Z");
  it.each([
    ["2026-11-20T11:59:59Z", true],
    ["2026-11-20T12:00:00Z", false],
    ["2026-11-20T12:00:01Z", false],
  ])("captured %s, by the current meter: %s", (captured, late) => {
    expect(isLate(update("a", { capturedAt: at(captured) }), { meterReadAt })).toBe(late);
  });

  it("in another unit counts from the change of the unit", () => {
    const wrongUnit = update("a", {
      late: true,
      flags: ["wrong_unit"],
      capturedAt: at("2026-11-19T12:00:00Z"),
    });
    expect(isLate(wrongUnit, { meterReadAt, unitSince: meterReadAt })).toBe(false);
    expect(isLate(wrongUnit, {})).toBe(false);
    expect(isLate(wrongUnit, { meterReadAt, unitSince: at("2026-11-19T18:00:00Z") })).toBe(true);
  });

  it("follows the server's flag if the machine is unknown", () => {
    expect(isLate(update("a", { late: true }), undefined)).toBe(true);
    expect(isLate(update("a"), undefined)).toBe(false);
    expect(isLate(update("a"), {})).toBe(false);
  });
});

describe("a reading while typing", () => {
  it.each([
    ["4,812.5", 4812.5],
    ["0", 0],
    ["1000000000", 1e9],
    ["1000000001", null],
    ["-1", null],
    ["1.234", null],
    ["", null],
    ["ten", null],
  ])("%s", (text, value) => {
    expect(readingOf(text)).toBe(value);
  });
});

describe("a jump", () => {
  const meter = { meterReading: 100, meterReadAt: at("2026-11-20T12:00:00Z") };
  it.each([
    ["2026-11-20T13:00:00Z", 412, { moved: 312, days: 1 }],
    ["2026-11-22T23:00:00Z", 412, { moved: 312, days: 2 }],
    ["2026-11-20T11:59:59Z", 412, null],
    ["2026-11-20T13:00:00Z", 100, null],
  ])("captured %s at %d", (captured, newUsage, figures) => {
    expect(jumpOf({ newUsage, capturedAt: at(captured) }, meter)).toEqual(figures);
  });

  it("is null for a meter that was never read", () => {
    expect(jumpOf(update("a"), { meterReading: 0 })).toBeNull();
  });
});

describe("fixes", () => {
  const read = create(EquipmentSchema, { meterReadAt: at("2026-11-22T12:00:00Z") });

  it("include a new meter for a reading, for a late one only below the meter, and a correction for usage", () => {
    const all = ["correct", "move", "replaced", "rolledOver"];
    expect(fixesOf(update("a"), undefined)).toEqual(all);
    expect(fixesOf(update("a"), read)).toEqual(["correct", "move"]);
    // It may be of the meter that was read later.
    expect(fixesOf(update("a", { flags: ["below_meter"] }), read)).toEqual(all);
    expect(fixesOf(update("a", { status: UpdateStatus.TAKEN_BACK }), read)).toEqual(all);
    const { newUsage: _, ...noReading } = update("a");
    expect(fixesOf(noReading, undefined)).toEqual(["move"]);
    expect(fixesOf({ ...noReading, usageIncrease: 8 }, undefined)).toEqual(["correct", "move"]);
  });

  it("of one press leave out updates with doubtful fuel", () => {
    const machine = create(EquipmentSchema, {
      unit: MeterUnit.HOURS,
      meterReading: 4804.1,
      currentUsage: 4804.1,
      meterReadAt: at("2026-11-20T12:00:00Z"),
    });
    const digit = { newUsage: 48125, unit: MeterUnit.HOURS };
    expect(computedReadings(update("a", { ...digit, flags: ["jump"] }), machine)).not.toEqual([]);
    for (const flag of ["fuel_high", "wrong_fuel"]) {
      const both = update("a", { ...digit, flags: ["jump", flag] });
      expect(computedReadings(both, machine)).toEqual([]);
    }
  });

  it("are suggested for flagged updates", () => {
    expect(likelyFixes(update("a"), undefined, false)).toEqual([]);
    expect(likelyFixes(update("a", { flags: ["jump"] }), undefined, false)).toEqual([
      "correct",
      "move",
    ]);
    expect(likelyFixes(update("a"), undefined, true)).toEqual(["correct", "move", "replaced"]);
    expect(likelyFixes(update("a"), read, true)).toEqual(["correct", "move"]);
  });

  it("begin with a new meter if the operator reported one and the reading is below", () => {
    const noted = update("a", { notes: "Horómetro roto\nMedidor cambiado" });
    expect(mainAct(noted, undefined, true)).toBe("replaced");
    expect(likelyFixes(noted, undefined, true)).toEqual(["correct", "move", "apply"]);
    expect(mainAct(noted, undefined, false)).toBe("apply");
    expect(mainAct(noted, read, true)).toBe("apply");
    expect(likelyFixes(noted, read, true)).toEqual(["correct", "move"]);
    expect(mainAct(noted, undefined, true, true)).toBe("apply");
    expect(mainAct(update("a"), undefined, true)).toBe("apply");
  });
});

describe("other machines", () => {
  const meter = (equipmentId: string, meterReading: number, more: object = {}) =>
    create(MeterSchema, {
      equipmentId,
      name: `Loader ${equipmentId}`,
      unit: MeterUnit.HOURS,
      meterReading,
      meterReadAt: at("2026-11-20T12:00:00Z"),
      ...more,
    });
  const meters = [
    meter("e1", 4810),
    meter("far", 100),
    meter("near", 4810, { serialNumber: "CAT0320" }),
    meter("nearer", 4812, { unitNumber: "L-9" }),
    meter("above", 4900),
    meter("unread", 4812, { meterReadAt: undefined }),
    meter("later", 4812, { meterReadAt: at("2026-11-22T12:00:00Z") }),
  ];

  it("match if the reading is plausible there, smallest increase first", () => {
    expect(fitting(meters, update("a")).map(({ equipmentId }) => equipmentId)).toEqual([
      "nearer",
      "near",
    ]);
  });

  it("are found by name, unit number or serial number, without the reported one", () => {
    const found = (search: string) =>
      searched(meters, update("a"), search).map(({ equipmentId }) => equipmentId);
    expect(found(" cat03 ")).toEqual(["near"]);
    expect(found("l-9")).toEqual(["nearer"]);
    expect(found("loader ")).toHaveLength(6);
  });
});

it("a service above a lower meter moves to it, and its next point by its own rule", () => {
  const machine = { currentUsage: 803, meterReading: 803 };
  const task = (more: MessageInitShape<typeof ServiceTaskSchema>) =>
    create(ServiceTaskSchema, { usageInterval: 100, lastDoneUsage: 696.7, ...more });
  const due = (reading: number, more: MessageInitShape<typeof ServiceTaskSchema> = {}) =>
    loweredTasks(machine, [task(more)], reading).lowered.map((each) => each.due);
  expect(due(600)).toEqual([700]);
  expect(due(640, { basis: TaskBasis.ON_THE_MARK })).toEqual([700]);
  expect(due(696.7)).toEqual([]);
  expect(due(600, { usageInterval: 0 })).toEqual([]);
});
