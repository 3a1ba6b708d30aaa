import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  HistoryKind,
  ServiceTaskSchema,
  VoidingSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { day, record } from "./detail.fixture";
import { dueAfterEdit } from "./edited-service";

const service = (id: string, on: string, usage: number, more: Parameters<typeof record>[0] = {}) =>
  record({ id, kind: HistoryKind.SERVICE, performedOn: on, usage, ...more });
const earlier = service("earlier", "2026-11-10", 4700);
const later = service("later", "2026-11-17", 4790);
const task = create(ServiceTaskSchema, {
  usageInterval: 250,
  lastDoneUsage: 4790,
  lastDoneOn: "2026-11-17",
  nextDueUsage: 5040,
});
const dueUsage = (edited: typeof later, on: string, usage: number, records = [later, earlier]) =>
  dueAfterEdit(
    task,
    records,
    { record: edited, day: on, usage, usageOf: (each) => each.usage },
    "2026-11-20",
  )?.usage;

describe("dueAfterEdit counts from", () => {
  it("the edited service while it is the last one", () => {
    expect(dueUsage(later, "2026-11-12", 4740)).toBe(4990);
  });

  it("the other one if it is the last one then", () => {
    expect(dueUsage(later, "2026-11-09", 4690)).toBe(4950);
    expect(dueUsage(earlier, "2026-11-18", 4800)).toBe(5050);
    expect(dueUsage(earlier, "2026-11-12", 4740)).toBe(5040);
  });

  it("the one entered last if both are of one day", () => {
    const first = { ...earlier, createdAt: day("2026-11-18") };
    expect(dueUsage(first, "2026-11-17", 4789, [later, first])).toBe(5040);
    const second = { ...earlier, createdAt: day("2026-11-21") };
    expect(dueUsage(second, "2026-11-17", 4789, [later, second])).toBe(5039);
  });

  it("no voided one and none of another task", () => {
    const voided = { ...earlier, voiding: create(VoidingSchema) };
    expect(dueUsage(later, "2026-11-09", 4690, [later, voided])).toBe(4940);
    const grease = { ...earlier, taskName: "Grease" };
    expect(dueUsage(later, "2026-11-09", 4690, [later, grease])).toBe(4940);
  });

  it("an unknown point if the task does not count from its last service", () => {
    expect(dueUsage(later, "2026-11-16", 4780, [{ ...later, usage: 4791 }])).toBeUndefined();
    expect(dueUsage(later, "2026-11-16", 4780, [earlier])).toBeUndefined();
  });
});
