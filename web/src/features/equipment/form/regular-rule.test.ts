import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ServiceTaskSchema, TaskBasis } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { ruledPreview } from "./regular-rule";

const task = create(ServiceTaskSchema, {
  fromForm: true,
  usageInterval: 250,
  basis: TaskBasis.ON_THE_MARK,
  firstDueDate: "2026-03-01",
  warningUsage: 10,
});
const form = {
  serviceInterval: "300",
  hasScheduledMaintenance: true,
  maintenanceStartDate: "2026-03-10",
  maintenanceInterval: "12",
};
const now = { last: 440, usage: 580, today: "2026-03-10" };

it("what is typed in the form is due by the rule of the regular service", () => {
  expect(ruledPreview(task, form, now)).toEqual({
    dueUsage: 600,
    dueDate: "2027-03-01",
    status: "good",
  });
  expect(ruledPreview(task, form, { ...now, usage: 590 }).status).toBe("approaching_service");
});

it("what the form leaves out is not due", () => {
  const without = { ...form, serviceInterval: "", hasScheduledMaintenance: false };
  expect(ruledPreview(task, without, now)).toEqual({
    dueUsage: null,
    dueDate: null,
    status: "good",
  });
});
