import { describe, expect, it } from "vitest";
import { lastKnown, ownReports, repeatedSecondsAgo } from "./last-known";
import type { OwnUpdate } from "./own-update";
import { fieldMachine, ownUpdate } from "../operator.fixture";
import type { OutboxEntry } from "../send/outbox-entry";

const machine = fieldMachine("e1", { meterReadAt: new Date("2026-11-19T16:40:00Z") });

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
  lastKnown(machine, ownReports(...sources));

describe("the last known reading", () => {
  it("is the server's by default", () => {
    expect(last([], [])).toEqual({ reading: 4804.1, at: machine.meterReadAt, own: false });
  });

  it("is a newer reading of this user, sent or unsent", () => {
    expect(last([entry({})], [update({})])).toMatchObject({ reading: 4812.5, own: true });
    expect(last([], [update({})])).toMatchObject({ reading: 4809, own: true });
  });

  it("ignores refused and rejected reports, other machines, and reports without a reading", () => {
    expect(last([entry({ state: "refused" })], []).own).toBe(false);
    expect(last([], [update({ status: "rejected" })]).own).toBe(false);
    expect(last([entry({ equipmentId: "e2" })], []).own).toBe(false);
    expect(last([entry({ reading: null })], []).own).toBe(false);
  });

  it("ignores readings that need a manager's decision, and older ones", () => {
    expect(last([entry({ reading: 48125 })], []).own).toBe(false);
    expect(last([entry({ reading: 12 })], []).own).toBe(false);
    expect(last([entry({ capturedAt: "2026-11-18T08:00:00.000Z", reading: 4804 })], []).own).toBe(
      false,
    );
  });

  it("applies several readings in order of capture", () => {
    const later = entry({ clientId: "c2", reading: 4815, capturedAt: "2026-11-20T10:00:00.000Z" });
    expect(last([later, entry({})], []).reading).toBe(4815);
  });

  it("adds no increase that the server's reading includes, and none to a meter never read", () => {
    const added = {
      newUsage: null,
      usageIncrease: 8,
      capturedAt: new Date("2026-11-20T10:00:00Z"),
    };
    for (const status of ["applied", "recent"] as const) {
      expect(last([], [update({ ...added, status })]).own).toBe(false);
    }
    expect(last([], [update({ ...added, status: "pending" })]).reading).toBe(4812.1);
    const unread = fieldMachine("e1", { meterReading: 0, meterReadAt: null });
    const reports = ownReports([entry({ reading: 8, increase: 8 })], []);
    expect(lastKnown(unread, reports)).toEqual({ reading: 0, at: null, own: false });
  });

  it("adds the user's increases to the reading before them", () => {
    const at = "2026-11-20T10:00:00.000Z";
    const added = entry({ clientId: "c2", reading: 4900, increase: 2, capturedAt: at });
    expect(last([entry({}), added], [])).toEqual({
      reading: 4814.5,
      at: new Date("2026-11-20T08:15:00Z"),
      own: true,
    });
  });
});

describe("a repeated report", () => {
  const report = {
    equipmentId: "e1",
    reading: 4812.5,
    increase: null,
    fuelAdded: 0,
    notes: "",
    capturedAt: new Date("2026-11-20T08:18:00Z"),
  };
  const earlier = ownReports([entry({})], []);

  it("returns the seconds since the first report", () => {
    expect(repeatedSecondsAgo(report, earlier)).toBe(180);
  });

  it("requires the same machine, reading and fuel, or the same notes without figures", () => {
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
