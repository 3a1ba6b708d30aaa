import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { HistoryKind, HistoryRecordSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { laterRecords } from "../later-records";
import { at } from "../updates.fixture";
import { serviceRaised } from "./service-raised";

type Record = MessageInitShape<typeof HistoryRecordSchema>;

const captured = (time: string) => ({ capturedAt: at(`2026-11-27T${time}:00Z`) });
const service = {
  ...captured("15:00"),
  kind: HistoryKind.SERVICE,
  performedOn: "2026-11-27",
  usage: 3386,
  usageBefore: 3386,
};
const unread = { ...captured("15:00"), kind: HistoryKind.SERVICE, performedOn: "2026-11-27" };
const reading = { ...captured("14:00"), kind: HistoryKind.USAGE, reading: 3386, usage: 3386 };
const added = { ...captured("13:00"), kind: HistoryKind.USAGE, usage: 3396, usageBefore: 3386 };
const newMeter = { ...captured("16:00"), kind: HistoryKind.METER, reading: 3, usage: 3390 };
const late = { ...captured("13:30"), kind: HistoryKind.USAGE, fuelAdded: 5 };

const raised = (newUsage: number | undefined, records: Record[], earlier = 0) =>
  serviceRaised(
    newUsage === undefined ? {} : { newUsage },
    { currentUsage: 3386, meterReading: 3386 - earlier },
    laterRecords(
      new Date("2026-11-27T12:00:00Z"),
      records.map((record) => create(HistoryRecordSchema, record)),
    ),
  );

describe("a service without a meter value", () => {
  it.each<[string, number | undefined, Record[], number?]>([
    ["a higher reading", 3388, [service]],
    ["an increase", undefined, [service]],
    ["an increase before a new meter", undefined, [newMeter, service]],
    ["a reading above the meter before later increases", 3388, [service, late, added]],
    ["a reading before a later one", 3388, [{ ...reading, ...captured("16:00") }, service]],
    ["a reading before a voided one", 3388, [service, { ...reading, voiding: {} }]],
    ["a reading of the second meter", 388, [service], 3000],
    [
      "an increase before a retirement",
      undefined,
      [service, { ...added, kind: HistoryKind.RETIREMENT }],
    ],
  ])("is raised by %s", (_, newUsage, records, earlier) => {
    expect(raised(newUsage, records, earlier)).toBe("2026-11-27");
  });

  it.each<[string, number | undefined, Record[]]>([
    ["a reading up to its meter", 3386, [service]],
    ["an increase before a reading", undefined, [service, reading]],
    [
      "an increase before a corrected meter",
      undefined,
      [service, { ...added, kind: HistoryKind.EDIT }],
    ],
    ["an increase of a meter that was never read", undefined, [unread]],
    ["a reading of another meter", 3388, [newMeter, service]],
    ["a later report", 3388, [{ ...service, ...captured("12:00") }]],
  ])("is not raised by %s", (_, newUsage, records) => {
    expect(raised(newUsage, records)).toBeUndefined();
  });

  it("counts only if it is not voided", () => {
    expect(raised(3388, [{ ...service, voiding: {} }])).toBeUndefined();
  });
});

it("a service with a meter value is not raised", () => {
  expect(raised(3388, [{ ...service, reading: 3386 }])).toBeUndefined();
});

it("the latest of several services is named", () => {
  const later = { ...service, ...captured("16:00"), performedOn: "2026-11-28" };
  expect(raised(3388, [later, service])).toBe("2026-11-28");
});
