import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { EquipmentSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { serviceDue } from "./service-due";

const due = (
  currentUsage: number,
  usagePercent: number | undefined,
  next?: number,
  meterReading = currentUsage,
) => {
  const figures = {
    ...(usagePercent === undefined ? {} : { usagePercent }),
    ...(next === undefined
      ? {}
      : { nextServiceDueUsage: next, remainingUsage: Math.max(0, next - currentUsage) }),
  };
  return serviceDue(
    create(EquipmentSchema, { currentUsage, meterReading, serviceInterval: 250, ...figures }),
  );
};

it("says nothing without an interval", () => {
  expect(due(500, undefined)).toBeNull();
});

it("counts down, names the point, then counts what is over", () => {
  expect(due(1204, 81.6, 1250)).toMatchObject({ kind: "until", amount: 46 });
  expect(due(1250, 100, 1250)).toMatchObject({ kind: "dueAt", at: 1250 });
  expect(due(1274.99, 109.99, 1250)).toMatchObject({ kind: "dueAt", at: 1250 });
  expect(due(4812.5, 125, 4750)).toMatchObject({ kind: "overdueBy", amount: 62.5 });
});

it("counts from 0 without a last service", () => {
  expect(due(100, 40)).toMatchObject({ kind: "until", amount: 150 });
  expect(due(300, 120)).toMatchObject({ kind: "overdueBy", amount: 50 });
});

it("names the point on the second meter's scale", () => {
  expect(due(5250, 100, 5250, 437.5)).toMatchObject({ kind: "dueAt", at: 437.5 });
  expect(due(5204, 81.6, 5250, 391.5)).toMatchObject({ kind: "until", amount: 46 });
  expect(due(5312.5, 125, 5250, 500)).toMatchObject({ kind: "overdueBy", amount: 62.5 });
});

it("has no point if it was passed on the previous meter", () => {
  expect(due(1260.5, 104, 1250, 2.5)).toMatchObject({
    kind: "dueAt",
    at: null,
    over: 10.5,
    status: "time_for_service",
  });
  expect(due(1260.5, 104, 1250, 10.5)).toMatchObject({ kind: "dueAt", at: 0 });
});
