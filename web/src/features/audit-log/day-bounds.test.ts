import { describe, expect, it } from "vitest";
import { auditQuery } from "./audit-query";
import { isDay, isWrongOrder } from "#/domain/days";
import { noFilter } from "./filter";
import { nextDay, startOfDay } from "./day-bounds";

describe("the first instant of a day", () => {
  it.each([
    ["2026-11-20", "UTC", "2026-11-20T00:00:00.000Z"],
    ["2026-11-20", "America/Chicago", "2026-11-20T06:00:00.000Z"],
    ["2026-07-20", "America/Chicago", "2026-07-20T05:00:00.000Z"],
    // Summer time begins and ends at two in the morning.
    ["2026-03-08", "America/Chicago", "2026-03-08T06:00:00.000Z"],
    ["2026-03-09", "America/Chicago", "2026-03-09T05:00:00.000Z"],
    ["2026-11-01", "America/Chicago", "2026-11-01T05:00:00.000Z"],
    ["2026-11-02", "America/Chicago", "2026-11-02T06:00:00.000Z"],
    ["2026-11-20", "America/Mexico_City", "2026-11-20T06:00:00.000Z"],
    ["2026-11-20", "Asia/Kathmandu", "2026-11-19T18:15:00.000Z"],
    ["2026-11-20", "Pacific/Kiritimati", "2026-11-19T10:00:00.000Z"],
    ["2026-11-20", "Pacific/Pago_Pago", "2026-11-20T11:00:00.000Z"],
    // The clock goes from midnight to one: that day has no midnight.
    ["2026-09-06", "America/Santiago", "2026-09-06T04:00:00.000Z"],
    ["2026-11-20", "Not/AZone", "2026-11-20T00:00:00.000Z"],
  ])("%s in %s is %s", (day, zone, instant) => {
    expect(startOfDay(day, zone).toISOString()).toBe(instant);
  });

  it.each([
    ["2026-11-20", "2026-11-21"],
    ["2026-12-31", "2027-01-01"],
    ["2028-02-28", "2028-02-29"],
  ])("after %s comes %s", (day, next) => {
    expect(nextDay(day)).toBe(next);
  });
});

describe("the filter as the server takes it", () => {
  it("is empty without one", () => {
    expect(auditQuery(noFilter, "UTC").toString()).toBe("");
  });

  it("covers whole days of the company, including the last one", () => {
    const filter = { ...noFilter, from: "2026-11-01", to: "2026-11-01" };
    expect(Object.fromEntries(auditQuery(filter, "America/Chicago"))).toEqual({
      from: "2026-11-01T05:00:00.000Z",
      to: "2026-11-02T06:00:00.000Z",
    });
  });

  it("names the words of a kind, and the person", () => {
    const filter = { ...noFilter, category: "equipment", person: "p1" } as const;
    expect(Object.fromEntries(auditQuery(filter, "UTC"))).toEqual({
      event: "export,equipment_deleted,equipment_retired,equipment_restored,fuel_reset",
      actor: "p1",
    });
  });

  it.each([
    ["2026-11-20", true],
    ["2000-01-01", true],
    ["2199-12-30", true],
    ["1999-12-31", false],
    ["2199-12-31", false],
    ["2026-02-30", false],
    ["0002-11-20", false],
    ["2026-11-20T00:00", false],
    ["", false],
  ])("takes %j as a day: %s", (text, taken) => {
    expect(isDay(text)).toBe(taken);
  });

  it("detects reversed days", () => {
    expect(isWrongOrder({ from: "2026-11-02", to: "2026-11-01" })).toBe(true);
    expect(isWrongOrder({ from: "2026-11-01", to: "2026-11-01" })).toBe(false);
    expect(isWrongOrder({ from: "2026-11-02", to: undefined })).toBe(false);
  });
});
