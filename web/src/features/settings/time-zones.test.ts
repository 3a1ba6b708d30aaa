import { describe, expect, it } from "vitest";
import { searchZones, timeIn, timeZones, zoneLabel } from "./time-zones";

describe("time zones", () => {
  const zones = timeZones("Etc/Special");

  it("hold UTC, the browser's and the one in use, each once", () => {
    expect(zones).toContain("UTC");
    expect(zones).toContain("America/Chicago");
    expect(zones).toContain("Etc/Special");
    expect(new Set(zones).size).toBe(zones.length);
    expect(timeZones("UTC").filter((zone) => zone === "UTC")).toEqual(["UTC"]);
  });

  it.each([
    ["chicago", "America/Chicago"],
    ["new york", "America/New_York"],
    ["york america", "America/New_York"],
    ["América méxico", "America/Mexico_City"],
    ["America/Chi", "America/Chicago"],
    ["mountain time", "America/Denver"],
    ["eastern", "America/New_York"],
  ])("are found by %s", (search, zone) => {
    expect(searchZones(zones, search)).toContain(zone);
  });

  it("are those of most customers first", () => {
    expect(searchZones(zones, "mountain").slice(0, 2)).toEqual([
      "America/Denver",
      "America/Phoenix",
    ]);
    expect(searchZones(zones, "hora central")[0]).toBe("America/Chicago");
  });

  it("are found by their name in Spanish", () => {
    const found = searchZones(zones, "hora central");
    expect(found).toContain("America/Mexico_City");
    expect(found).not.toContain("America/Denver");
  });

  it("are none for an unknown place", () => {
    expect(searchZones(zones, "atlantis")).toEqual([]);
    expect(searchZones(zones, " ")).toEqual(zones);
  });

  it("are formatted with the local time", () => {
    const now = new Date("2026-01-15T02:05:00Z");
    expect(zoneLabel("America/Argentina/Buenos_Aires")).toBe("America / Argentina / Buenos Aires");
    expect(timeIn("en", "America/Chicago", now)?.replaceAll("\u202f", " ")).toBe("Wed 8:05 PM");
    expect(timeIn("en", "Nowhere/Else", now)).toBeNull();
  });
});
