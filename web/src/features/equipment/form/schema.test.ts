import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { equipmentSchema, plannedDate, type EquipmentValues } from "./schema";
import { blankPart, blankValues } from "./values";

const filled: EquipmentValues = {
  ...blankValues,
  name: "Excavator",
  type: "machinery",
  unit: "hours",
};

function messages(more: Partial<EquipmentValues>): Record<string, string> {
  const issues = v.safeParse(equipmentSchema, { ...filled, ...more }).issues ?? [];
  return Object.fromEntries(issues.map((issue) => [v.getDotPath(issue) ?? "", issue.message]));
}

describe("the equipment form", () => {
  it("needs name, type and unit", () => {
    expect(messages({ name: " ", type: "", unit: "" })).toEqual({
      name: "equipment-form.fields.nameRequired",
      type: "equipment-form.fields.typeRequired",
      unit: "equipment-form.fields.unitRequired",
    });
    expect(messages({})).toEqual({});
  });

  it("needs start date and interval with scheduled maintenance on", () => {
    expect(messages({ hasScheduledMaintenance: true })).toEqual({
      maintenanceStartDate: "equipment-form.fields.startRequired",
      maintenanceInterval: "equipment-form.fields.maintenanceIntervalRequired",
    });
    const zero = { maintenanceStartDate: "2026-01-31", maintenanceInterval: "0" };
    expect(messages({ hasScheduledMaintenance: true, ...zero })).toEqual({
      maintenanceInterval: "equipment-form.fields.maintenanceIntervalRequired",
    });
  });

  it("takes start dates from 1900 on, and no date beyond 2200", () => {
    const on = { hasScheduledMaintenance: true, maintenanceInterval: "3" };
    expect(messages({ ...on, maintenanceStartDate: "1899-12-31" })).toEqual({
      maintenanceStartDate: "equipment-form.fields.dateInvalid",
    });
    expect(messages({ ...on, maintenanceStartDate: "1900-01-01" })).toEqual({});
    expect(messages({ ...on, maintenanceStartDate: "2200-12-01" })).toEqual({
      maintenanceInterval: "equipment-form.fields.maintenanceTooFar",
    });
  });

  it("bounds the figures", () => {
    expect(
      messages({
        currentUsage: "-1",
        threshold: "0.5",
        serviceInterval: "2.5",
        lastServiceUsage: "1.234",
      }),
    ).toEqual({
      currentUsage: "equipment-form.fields.usageLow",
      threshold: "equipment-form.fields.thresholdLow",
      serviceInterval: "equipment-form.fields.intervalWhole",
      lastServiceUsage: "equipment-form.fields.twoDecimals",
    });
    expect(messages({ currentUsage: "4,812.5", threshold: "1", serviceInterval: "0" })).toEqual({});
    expect(messages({ currentUsage: "1000000000", threshold: "1000000000.01" })).toEqual({
      threshold: "equipment-form.fields.tooLarge",
    });
  });

  it("accepts blank part rows, but requires the part of a half-filled one", () => {
    const serviceParts = [blankPart, { part: "", partNumber: "1R-0739", quantity: "0" }];
    expect(messages({ serviceParts })).toEqual({
      "serviceParts.1.part": "equipment-form.fields.parts.partRequired",
      "serviceParts.1.quantity": "equipment-form.fields.parts.quantityLow",
    });
  });

  it("plans the next date with month ends clamped", () => {
    const plan = { maintenanceStartDate: "2026-08-31", maintenanceIntervalUnit: "months" } as const;
    expect(plannedDate({ ...plan, maintenanceInterval: "3" })).toBe("2026-11-30");
    expect(plannedDate({ ...plan, maintenanceInterval: "" })).toBeNull();
  });
});
