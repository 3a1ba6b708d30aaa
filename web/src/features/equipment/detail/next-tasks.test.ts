import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ServiceTaskSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { nextTasks } from "./next-tasks";

const task = (id: string, projectedDueDate: string) =>
  create(ServiceTaskSchema, { id, projectedDueDate });

it("has the three tasks with the earliest dates, without those that have none", () => {
  const tasks = [
    task("year", "2026-12-24"),
    task("none", ""),
    task("oil", "2026-12-01"),
    task("far", "2027-08-01"),
    task("late", "2026-11-25"),
  ];
  expect(nextTasks(tasks).map(({ id }) => id)).toEqual(["late", "oil", "year"]);
});
