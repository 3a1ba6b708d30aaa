import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import {
  MeterUnit,
  ServiceStatus,
  ServiceTaskSchema,
  UrgentTaskSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { nextTasks, orderTasks } from "./next-tasks";

const machine = { unit: MeterUnit.HOURS };
const today = "2026-11-26";

const task = (id: string, more: MessageInitShape<typeof ServiceTaskSchema>) =>
  create(ServiceTaskSchema, { id, status: ServiceStatus.GOOD, ...more });
const on = (id: string, projectedDueDate: string) => task(id, { projectedDueDate });
const idsOf = (tasks: Array<{ id: string }>) => tasks.map(({ id }) => id);

it("has the three tasks with the earliest dates, without those that have no plan", () => {
  const tasks = [
    on("year", "2026-12-24"),
    on("none", ""),
    on("oil", "2026-12-01"),
    on("far", "2027-08-01"),
    on("late", "2026-11-25"),
  ];
  expect(idsOf(nextTasks(tasks, machine, today))).toEqual(["late", "oil", "year"]);
});

it("lists a task with few hours left before a distant date if the use is unknown", () => {
  const tasks = [
    on("oil", "2027-11-26"),
    task("engine", { remainingUsage: 9000 }),
    task("grease", { remainingUsage: 42 }),
    on("inspection", "2026-12-08"),
  ];
  expect(idsOf(orderTasks(tasks, machine, today))).toEqual([
    "grease",
    "inspection",
    "oil",
    "engine",
  ]);
});

it("orders by the usage left if only the calendar of a task has a date", () => {
  const both = (id: string, remainingUsage: number) =>
    task(id, { remainingUsage, projectedDueDate: "2027-11-26", projectedByCalendar: true });
  const tasks = [task("filter", { remainingUsage: 371 }), both("oil", 211)];
  expect(idsOf(orderTasks(tasks, machine, today))).toEqual(["oil", "filter"]);
  // With a known use the date is that of the limit that is reached first.
  const known = { ...machine, usualDailyUse: 2 };
  const dated = task("filter", { remainingUsage: 371, projectedDueDate: "2027-05-30" });
  expect(idsOf(orderTasks([both("oil", 211), dated], known, today))).toEqual(["filter", "oil"]);
});

it("lists the most severe status first, then the date, then the usage left", () => {
  const projectedDueDate = today;
  const tasks = [
    on("good", today),
    task("soon", { status: ServiceStatus.APPROACHING_SERVICE, remainingUsage: 5 }),
    task("due-20", {
      status: ServiceStatus.TIME_FOR_SERVICE,
      projectedDueDate,
      remainingUsage: 20,
    }),
    task("due-10", {
      status: ServiceStatus.TIME_FOR_SERVICE,
      projectedDueDate,
      remainingUsage: 10,
    }),
    task("over", { status: ServiceStatus.OVERDUE }),
  ];
  expect(idsOf(orderTasks(tasks, machine, today))).toEqual([
    "over",
    "due-10",
    "due-20",
    "soon",
    "good",
  ]);
});

it("lists the task first that the machine's header names", () => {
  const status = ServiceStatus.TIME_FOR_SERVICE;
  const tasks = [
    task("regular", { status, projectedDueDate: today, fromForm: true }),
    task("tires", { status, projectedDueDate: today }),
  ];
  const urgentTask = create(UrgentTaskSchema, { id: "tires" });
  expect(idsOf(nextTasks(tasks, { ...machine, urgentTask }, today))).toEqual(["tires", "regular"]);
  expect(idsOf(nextTasks(tasks.toReversed(), machine, today))).toEqual(["regular", "tires"]);
});
