import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { HistoryKind, HistoryRecordSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { laterRecords, meterRaised } from "./later-records";
import { at } from "./updates.fixture";

type Record = MessageInitShape<typeof HistoryRecordSchema>;

const captured = { capturedAt: at("2026-11-28T12:00:00Z") };
const service = {
  ...captured,
  kind: HistoryKind.SERVICE,
  performedOn: "2026-11-28",
  reading: 1000,
};
const added = { ...captured, kind: HistoryKind.USAGE, usage: 1008, usageBefore: 1000 };
const retired = { ...added, kind: HistoryKind.RETIREMENT, usageBefore: 1008 };

const raised = (records: Record[], meterReading = 1000, newUsage = 1015) =>
  meterRaised(
    { newUsage },
    { meterReading },
    laterRecords(
      new Date("2026-11-28T11:00:00Z"),
      records.map((record) => create(HistoryRecordSchema, record)),
    ),
  );

describe("a reading before a service with a lower meter value", () => {
  const lower = { day: "2026-11-28", service: 1000 };

  it.each<[string, Record[], number]>([
    ["the reading", [service], 1015],
    ["the reading and what was added since", [added, service], 1023],
    [
      "the reading and what was added, above a later service",
      [{ ...service, reading: 1020 }, added, service],
      1023,
    ],
    ["the reading of a retired machine", [retired, service], 1015],
    [
      "the reading if a later one is voided",
      [{ ...added, reading: 1008, voiding: {} }, service],
      1015,
    ],
  ])("raises the meter to %s", (_, records, meter) => {
    expect(raised(records)).toEqual({ ...lower, meter });
  });

  it.each<[string, Record[]]>([
    ["a reading", [{ ...added, reading: 1008 }, service]],
    ["a reading before the service", [service, { ...added, reading: 1000 }]],
    ["a corrected meter", [{ ...added, kind: HistoryKind.EDIT }, service]],
    ["a new meter", [{ ...added, kind: HistoryKind.METER, reading: 0 }, service]],
  ])("does not raise a meter set by %s", (_, records) => {
    expect(raised(records)).toBeUndefined();
  });

  it("does not raise a meter that a later service read higher", () => {
    expect(raised([{ ...service, reading: 1020 }, service], 1020)).toBeUndefined();
  });
});

it("a reading up to a later service does not raise the meter", () => {
  expect(raised([service], 1000, 1000)).toBeUndefined();
});
