import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ServiceStatus, ServiceTaskSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { excavator } from "./detail.fixture";
import { isByDate, nextDue } from "./next-due";
import { hasServicePlan } from "./service-plan";
import { taskDue } from "./task-due";

const today = "2026-11-21";

describe("what is due next", () => {
  it("names the due point of a task on the second meter's scale", () => {
    const urgentTask = {
      id: "t1",
      name: "Oil",
      status: ServiceStatus.TIME_FOR_SERVICE,
      nextDueUsage: 4810,
    };
    const due = (meterReading: number) =>
      nextDue(excavator({ urgentTask, currentUsage: 4812.5, meterReading }), today)?.due;
    expect(due(12)).toMatchObject({ kind: "dueAt", at: 9.5 });
    expect(due(2)).toMatchObject({ kind: "dueAt", at: null, over: 2.5 });
    expect(due(4812.5)).toMatchObject({ kind: "dueAt", at: 4810 });
  });

  it("is the regular service without a more urgent task", () => {
    expect(nextDue(excavator(), today)).toMatchObject({
      taskName: null,
      status: "overdue",
      due: { kind: "overdueBy", amount: 62.5 },
      percent: 125,
      schedule: null,
    });
  });

  it("is null with neither interval nor schedule", () => {
    const { usagePercent: _, ...plain } = excavator({ serviceInterval: 0 });
    expect(nextDue(plain, today)).toBeNull();
    expect(hasServicePlan(plain)).toBe(false);
    expect(hasServicePlan(excavator({ serviceInterval: 0, hasScheduledMaintenance: true }))).toBe(
      true,
    );
  });

  it.each([
    [4820, ServiceStatus.APPROACHING_SERVICE, { kind: "until", amount: 7.5 }],
    [4812.5, ServiceStatus.TIME_FOR_SERVICE, { kind: "dueAt", at: 4812.5 }],
    [4800, ServiceStatus.TIME_FOR_SERVICE, { kind: "dueAt", at: 4800 }],
    [4700, ServiceStatus.OVERDUE, { kind: "overdueBy", amount: 112.5 }],
  ])("is the urgent task, due at %d", (nextDueUsage, status, due) => {
    const equipment = excavator({ urgentTask: { id: "t", name: "Oil", status, nextDueUsage } });
    expect(nextDue(equipment, today)).toMatchObject({ taskName: "Oil", due, percent: null });
  });

  it("dates an urgent task by the company's day", () => {
    const urgent = { id: "t", name: "Inspection", status: ServiceStatus.OVERDUE };
    const equipment = excavator({ urgentTask: { ...urgent, daysUntilDue: -2 } });
    expect(nextDue(equipment, today)).toMatchObject({
      due: null,
      schedule: { days: -2, date: "2026-11-19" },
    });
  });
});

describe("isByDate of a task with both limits", () => {
  const both = (days: number, use: { usualDailyUse?: number }, byCalendar = true) => {
    const equipment = excavator({
      ...use,
      urgentTask: {
        id: "t",
        name: "Oil",
        status: ServiceStatus.GOOD,
        nextDueUsage: 5000,
        daysUntilDue: days,
      },
      projectedDueTask: { id: "t", name: "Oil", byCalendar },
    });
    const next = nextDue(equipment, today);
    return next && isByDate(next, equipment);
  };

  it("is true if its date comes first", () => {
    expect(both(90, { usualDailyUse: 2 })).toBe(true);
    expect(both(90, { usualDailyUse: 2 }, false)).toBe(false);
  });

  it("is false for a distant date while the use is unknown", () => {
    expect([both(8, {}), both(7, {})]).toEqual([false, true]);
  });
});

describe("a task's own usage rule", () => {
  it("counts from when the task was last done", () => {
    const task = create(ServiceTaskSchema, {
      usageInterval: 250,
      usagePercent: 13,
      nextDueUsage: 5030,
      remainingUsage: 217.5,
    });
    expect(taskDue(task, excavator())).toMatchObject({
      kind: "until",
      amount: 217.5,
      status: "good",
    });
  });

  it("is none without a usage interval", () => {
    expect(taskDue(create(ServiceTaskSchema, { calendarInterval: 1 }), excavator())).toBeNull();
  });
});
