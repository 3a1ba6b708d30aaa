import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ServiceTaskSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { nextTasks } from "./next-tasks";

const task = (id: string, more: MessageInitShape<typeof ServiceTaskSchema>) =>
  create(ServiceTaskSchema, { id, ...more });
const dated = (tasks: ReturnType<typeof task>[], usualDailyUse?: number) =>
  nextTasks(tasks, usualDailyUse === undefined ? {} : { usualDailyUse }, "2026-11-25").map(
    (next) => [next.task.id, next.date, next.isForecast],
  );

it("orders tasks by the earlier of their two limits", () => {
  const tasks = [
    task("year", { nextDueDate: "2026-12-24" }),
    task("oil", { nextDueUsage: 500, remainingUsage: 41, nextDueDate: "2027-01-01" }),
    task("late", { nextDueUsage: 400, remainingUsage: 0 }),
    task("far", { nextDueUsage: 9000, remainingUsage: 8000 }),
  ];
  expect(dated(tasks, 8)).toEqual([
    ["late", "2026-11-25", false],
    ["oil", "2026-12-01", true],
    ["year", "2026-12-24", false],
  ]);
});

it("has no date for a task by usage without a usual use, nor for one without a plan", () => {
  expect(dated([task("oil", { nextDueUsage: 500, remainingUsage: 41 }), task("none", {})])).toEqual(
    [],
  );
});
