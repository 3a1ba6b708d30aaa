import { describe, expect, it } from "vitest";
import { lastKnown, ownReports, repeatedSecondsAgo } from "./last-known";
import type { OwnUpdate } from "./own-update";
import { fieldMeter, ownUpdate } from "../operator.fixture";
import type { OutboxEntry } from "../send/outbox-entry";

const meter = fieldMeter("e1", { meterReadAt: new Date("2026-11-19T16:40:00Z") });

const entry = (more: Partial<OutboxEntry>): OutboxEntry => ({
  clientId: "c1",
  capturedAt: "2026-11-20T08:15:00.000Z",
  equipmentId: "e1",
  equipmentName: "Excavator",
  reading: 4812.5,
  fuelAdded: null,
  fuelKind: "gas",
  notes: "",
  state: "waiting",
  reason: null,
  failures: 0,
  ...more,
});

const update = (more: Partial<OwnUpdate>) =>
  ownUpdate("u1", { newUsage: 4809, capturedAt: new Date("2026-11-19T20:00:00Z"), ...more });
const last = (...sources: Parameters<typeof ownReports>) =>
  lastKnown(meter, ownReports(...sources));

describe("the last reading that is known", () => {
  it("is the server's", () => {
    expect(last([], [])).toEqual({ reading: 4804.1, at: meter.meterReadAt, own: false });
  });

  it("is one that this person took since, sent or not", () => {
    expect(last([entry({})], [update({})])).toMatchObject({ reading: 4812.5, own: true });
    expect(last([], [update({})])).toMatchObject({ reading: 4809, own: true });
  });

  it("is not one that was refused, rejected, about another machine or without a reading", () => {
    expect(last([entry({ state: "refused" })], []).own).toBe(false);
    expect(last([], [update({ status: "rejected" })]).own).toBe(false);
    expect(last([entry({ equipmentId: "e2" })], []).own).toBe(false);
    expect(last([entry({ reading: null })], []).own).toBe(false);
  });

  it("is not one that the manager has to decide on, nor an older one", () => {
    expect(last([entry({ reading: 48125 })], []).own).toBe(false);
    expect(last([entry({ reading: 12 })], []).own).toBe(false);
    expect(last([entry({ capturedAt: "2026-11-18T08:00:00.000Z", reading: 4804 })], []).own).toBe(
      false,
    );
  });

  it("follows several in the order in which they were taken", () => {
    const later = entry({ clientId: "c2", reading: 4815, capturedAt: "2026-11-20T10:00:00.000Z" });
    expect(last([later, entry({})], []).reading).toBe(4815);
  });
});

describe("the same reported again", () => {
  const report = {
    equipmentId: "e1",
    reading: 4812.5,
    fuelAdded: 0,
    notes: "",
    capturedAt: new Date("2026-11-20T08:18:00Z"),
  };
  const earlier = ownReports([entry({})], []);

  it("was so many seconds ago", () => {
    expect(repeatedSecondsAgo(report, earlier)).toBe(180);
  });

  it("is not another machine, reading or fuel; notes count where there are no figures", () => {
    expect(repeatedSecondsAgo({ ...report, equipmentId: "e2" }, earlier)).toBeNull();
    expect(repeatedSecondsAgo({ ...report, reading: 4812.6 }, earlier)).toBeNull();
    expect(repeatedSecondsAgo({ ...report, fuelAdded: 10 }, earlier)).toBeNull();
    expect(repeatedSecondsAgo({ ...report, notes: "Oil leak" }, earlier)).toBe(180);
    const notes = ownReports([entry({ reading: null, notes: "Oil leak" })], []);
    const noted = { ...report, reading: null };
    expect(repeatedSecondsAgo({ ...noted, notes: "Oil leak" }, notes)).toBe(180);
    expect(repeatedSecondsAgo({ ...noted, notes: "Flat tire" }, notes)).toBeNull();
  });
});
