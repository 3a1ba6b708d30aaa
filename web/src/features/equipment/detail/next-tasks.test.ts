import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import {
  ServiceStatus,
  ServiceTaskSchema,
  UrgentTaskSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { nextTasks, orderTasks } from "./next-tasks";

const today = "2026-11-26";

const task = (id: string, more: MessageInitShape<typeof ServiceTaskSchema>) =>
  create(ServiceTaskSchema, { id, status: ServiceStatus.GOOD, ...more });
const on = (id: string, projectedDueDate: string) =>
  task(id, { projectedDueDate, orderDate: projectedDueDate });
const idsOf = (tasks: Array<{ id: string }>) => tasks.map(({ id }) => id);

it("has the three tasks with the earliest dates, without those that have no plan", () => {
  const tasks = [
    on("year", "2026-12-24"),
    on("none", ""),
    on("oil", "2026-12-01"),
    on("far", "2027-08-01"),
    on("late", "2026-11-25"),
  ];
  expect(idsOf(nextTasks(tasks, {}))).toEqual(["late", "oil", "year"]);
});

it("orders by the server's order date, which an unknown use has too", () => {
  const tasks = [
    task("oil", { projectedDueDate: "2027-11-26", orderDate: "2027-11-26" }),
    task("engine", { remainingUsage: 9000, orderDate: "2029-12-24" }),
    task("unread", {}),
    task("grease", { remainingUsage: 42, orderDate: "2026-12-02" }),
    task("inspection", { projectedDueDate: "2026-12-08", orderDate: "2026-12-08" }),
  ];
  expect(idsOf(orderTasks(tasks, {}))).toEqual(["grease", "inspection", "oil", "engine", "unread"]);
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
  expect(idsOf(orderTasks(tasks, {}))).toEqual(["over", "due-10", "due-20", "soon", "good"]);
});

it("lists the task first that the machine's header names", () => {
  const status = ServiceStatus.TIME_FOR_SERVICE;
  const tasks = [
    task("regular", { status, projectedDueDate: today, fromForm: true }),
    task("tires", { status, projectedDueDate: today }),
  ];
  const urgentTask = create(UrgentTaskSchema, { id: "tires" });
  expect(idsOf(nextTasks(tasks, { urgentTask }))).toEqual(["tires", "regular"]);
  expect(idsOf(nextTasks(tasks.toReversed(), {}))).toEqual(["regular", "tires"]);
});
