import { create } from "@bufbuild/protobuf";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import {
  CalendarUnit,
  ServiceTaskSchema,
  TaskBasis,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  blankTask,
  taskSchema,
  toTaskChange,
  toTaskInput,
  valuesOfTask,
  type TaskValues,
} from "./task-schema";

const today = "2026-11-21";
const oil: TaskValues = { ...blankTask, name: "Oil", usageInterval: "250" };
const problems = (more: Partial<TaskValues>) =>
  v.safeParse(taskSchema(today), { ...oil, ...more }).issues?.map((issue) => issue.message) ?? [];

describe("a service task", () => {
  it.each<[Partial<TaskValues>, string]>([
    [{ name: "  " }, "equipment-detail.tasks.nameRequired"],
    [{ name: "x".repeat(101) }, "equipment-detail.tasks.nameLong"],
    [{ usageInterval: "" }, "equipment-detail.tasks.intervalRequired"],
    [{ usageInterval: "0", calendarInterval: "0" }, "equipment-detail.tasks.intervalRequired"],
    [{ usageInterval: "2.5" }, "equipment-form.fields.intervalWhole"],
    [{ usageInterval: "-1", calendarInterval: "1" }, "equipment-form.fields.intervalWhole"],
    [{ usageInterval: "1000000001" }, "equipment-form.fields.intervalWhole"],
    [{ lastDoneUsage: "-1" }, "equipment-form.fields.usageLow"],
    [{ lastDoneUsage: "abc" }, "equipment-form.fields.usageLow"],
    [{ lastDoneUsage: "1.234" }, "equipment-form.fields.twoDecimals"],
    [{ lastDoneOn: "2026-11-22" }, "equipment-detail.tasks.future"],
    [{ lastDoneOn: "1899-12-31" }, "equipment-form.fields.dateInvalid"],
    [{ calendarInterval: "200", calendarUnit: "years" }, "equipment-form.fields.maintenanceTooFar"],
    [{ firstDueUsage: "x" }, "equipment-form.fields.usageLow"],
    [{ firstDueDate: "1899-12-31" }, "equipment-form.fields.dateInvalid"],
    [{ warning: "100" }, "equipment-detail.rules.warningWrong"],
    [{ warning: "2.5" }, "equipment-detail.rules.warningWrong"],
    [{ warning: "250", warningUnit: "usage" }, "equipment-detail.rules.warningWrong"],
    [
      { warning: "100", usageInterval: "", calendarInterval: "6" },
      "equipment-detail.rules.warningWrong",
    ],
    [
      { warning: "20", usageInterval: "", calendarInterval: "6" },
      "equipment-detail.rules.intervalBlank",
    ],
    [{ warningDays: "7" }, "equipment-detail.rules.intervalBlank"],
    [
      { firstDueUsage: "500", usageInterval: "", calendarInterval: "6" },
      "equipment-detail.rules.intervalBlank",
    ],
    [{ firstDueDate: "2026-12-01" }, "equipment-detail.rules.intervalBlank"],
    [{ warningDays: "0" }, "equipment-detail.rules.daysWrong"],
    [{ warningDays: "366" }, "equipment-detail.rules.daysWrong"],
  ])("%j is refused", (more, message) => expect(problems(more)).toContain(message));

  it.each<Partial<TaskValues>>([
    {},
    { name: "x".repeat(100) },
    { usageInterval: "", calendarInterval: "6" },
    { calendarInterval: "6", lastDoneOn: today, lastDoneUsage: "4,812.25" },
    { calendarInterval: "174", calendarUnit: "years" },
    { warning: "99" },
    { warning: "249.99", warningUnit: "usage" },
    {
      calendarInterval: "6",
      warningDays: "365",
      firstDueDate: "2020-01-01",
      firstDueUsage: "1,500",
    },
    { usageInterval: "", calendarInterval: "6", warning: "0", firstDueUsage: "0" },
  ])("%j is taken", (more) => expect(problems(more)).toEqual([]));

  it("sends no last service if it is blank", () => {
    const usual = {
      firstDueUsage: 0,
      firstDueDate: "",
      basis: TaskBasis.LAST_DONE,
      warningPercent: 0,
      warningUsage: 0,
      warningDays: 0,
    };
    expect(toTaskInput(oil)).toEqual({
      ...usual,
      name: "Oil",
      usageInterval: 250,
      calendarInterval: 0,
    });
    expect(
      toTaskInput({ ...oil, calendarInterval: "6", lastDoneOn: today, lastDoneUsage: "4,800" }),
    ).toEqual({
      ...usual,
      name: "Oil",
      usageInterval: 250,
      lastDoneUsage: 4800,
      calendarInterval: 6,
      calendarUnit: CalendarUnit.MONTHS,
      lastDoneOn: today,
    });
  });

  it("sends only what was changed", () => {
    const before = valuesOfTask(
      create(ServiceTaskSchema, {
        name: "Oil",
        usageInterval: 250,
        lastDoneUsage: 4500,
        calendarInterval: 6,
        calendarUnit: CalendarUnit.MONTHS,
        lastDoneOn: "2026-06-01",
      }),
    );
    expect(toTaskChange(before, before)).toEqual({});
    expect(toTaskChange(before, { ...before, name: "Oil filter " })).toEqual({
      name: "Oil filter",
    });
    expect(toTaskChange(before, { ...before, calendarInterval: "" })).toEqual({
      calendarInterval: 0,
    });
    expect(
      toTaskChange(before, {
        ...before,
        basis: "on_the_mark",
        warning: "25",
        warningUnit: "usage",
      }),
    ).toEqual({ basis: TaskBasis.ON_THE_MARK, warningUsage: 25 });
  });
});
