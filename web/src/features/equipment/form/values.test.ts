import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  CalendarUnit,
  EquipmentSchema,
  EquipmentType,
  MeterUnit,
  OperationalStatus,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fieldOf } from "./field-errors";
import { blankPart, blankValues, toCreateInput, toInput, toUpdateInput, valuesOf } from "./values";

const equipment = create(EquipmentSchema, {
  name: "Excavator",
  type: EquipmentType.MACHINERY,
  unit: MeterUnit.HOURS,
  currentUsage: 4812.5,
  meterReading: 4812.5,
  threshold: 6000,
  alertThreshold: 15,
  serviceInterval: 250,
  lastServiceUsage: 4500,
  hasScheduledMaintenance: true,
  maintenanceStartDate: "2026-08-31",
  maintenanceInterval: 3,
  maintenanceIntervalUnit: CalendarUnit.MONTHS,
  serviceParts: [{ part: "Oil filter", partNumber: "1R-0739", quantity: 2 }],
});

describe("new equipment", () => {
  const typed = { ...blankValues, name: " Saw ", type: "tools", unit: "hours" };

  it("counts its interval from the current usage if no last service is given", () => {
    const input = toCreateInput({ ...typed, currentUsage: "1,204.5", serviceInterval: "250" });
    expect(input).toMatchObject({ name: "Saw", currentUsage: 1204.5, lastServiceUsage: 1204.5 });
  });

  it("has no last service without an interval, and no parts unless there are some", () => {
    const input = toCreateInput(typed);
    expect(input.lastServiceUsage).toBeUndefined();
    expect(input).not.toHaveProperty("serviceParts");
  });

  it("drops blank part rows", () => {
    const row = { part: " Belt ", partNumber: "", quantity: "3" };
    expect(toCreateInput({ ...typed, serviceParts: [row, blankPart] }).serviceParts).toEqual({
      parts: [{ part: "Belt", quantity: 3 }],
    });
  });
});

describe("an edit", () => {
  const before = valuesOf(equipment);

  it("sends only what was changed", () => {
    expect(toUpdateInput(before, { ...before, currentUsage: "4,812.50" })).toEqual({});
    const grouped = { ...before, group: "Crew North" };
    expect(toUpdateInput(before, { ...before, group: " " })).toEqual({});
    expect(toUpdateInput(before, grouped)).toEqual({ group: "Crew North" });
    expect(toUpdateInput(grouped, { ...grouped, group: " " })).toEqual({ group: "" });
    expect(toUpdateInput(before, { ...before, operationalStatus: "in_shop" })).toEqual({
      operationalStatus: OperationalStatus.IN_SHOP,
    });
    expect(toUpdateInput(before, { ...before, name: "Digger", threshold: "" })).toEqual({
      name: "Digger",
      threshold: 0,
    });
  });

  it("shows and corrects what the meter shows, whatever earlier ones counted", () => {
    const replaced = valuesOf(create(EquipmentSchema, { currentUsage: 4824.5, meterReading: 12 }));
    expect(replaced.currentUsage).toBe("12");
    expect(toUpdateInput(replaced, { ...replaced, currentUsage: "12.0" })).toEqual({});
    expect(toUpdateInput(replaced, { ...replaced, currentUsage: "15" })).toEqual({
      meterReading: 15,
    });
  });

  it("sends all figures with another unit, because equal numbers mean something else", () => {
    const { threshold, serviceInterval, lastServiceUsage } = toInput(before);
    expect(toUpdateInput(before, { ...before, unit: "kilometers" })).toEqual({
      unit: MeterUnit.KILOMETERS,
      meterReading: 4812.5,
      threshold,
      serviceInterval,
      lastServiceUsage,
    });
    expect(toUpdateInput(before, { ...before, unit: "n/a" })).toEqual({
      unit: MeterUnit.NOT_APPLICABLE,
    });
  });

  it("clears start and interval with the schedule", () => {
    expect(toUpdateInput(before, { ...before, hasScheduledMaintenance: false })).toEqual({
      hasScheduledMaintenance: false,
      maintenanceStartDate: "",
      maintenanceInterval: 0,
    });
  });

  it("always shows a row for parts", () => {
    expect(valuesOf(create(EquipmentSchema, {})).serviceParts).toEqual([blankPart]);
    expect(before.serviceParts).toEqual([
      { part: "Oil filter", partNumber: "1R-0739", quantity: "2" },
    ]);
  });
});

it.each([
  ["name", "name"],
  ["fuelType", "fuel"],
  ["meterReading", "currentUsage"],
  ["equipment.maintenance_start_date", "maintenanceStartDate"],
  ["serviceParts[1].partNumber", "serviceParts.1.partNumber"],
  ["service_parts.parts[0].qty", "serviceParts.0.quantity"],
  ["serviceParts.2", "serviceParts.2.part"],
  ["version", null],
])("the server's %s is shown at %s", (server, field) => {
  expect(fieldOf(server)).toBe(field);
});
