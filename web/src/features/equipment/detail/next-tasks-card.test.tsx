import { fireEvent, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { ServiceStatus } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { nextDate } from "#/domain/calendar";
import { openDetail, world } from "./detail.fixture";

it("dates a task that is due by its calendar, and by usage without a date", async () => {
  const today = new Date().toLocaleDateString("en-CA");
  const due = { status: ServiceStatus.OVERDUE, projectedDueDate: today };
  const used = { ...due, usageInterval: 250, nextDueUsage: 4750, remainingUsage: 0 };
  await openDetail(
    world({
      tasks: [
        { id: "t0", fromForm: true, ...used, usagePercent: 125 },
        {
          id: "t1",
          name: "Inspection",
          ...due,
          projectedByCalendar: true,
          nextDueDate: nextDate(today, -400, "days") ?? "",
          daysUntilDue: -400,
        },
        {
          id: "t2",
          name: "Filter",
          ...used,
          status: ServiceStatus.TIME_FOR_SERVICE,
          usagePercent: 101,
          nextDueUsage: 4810,
        },
      ],
    }),
  );
  const list = within(await screen.findByRole("list", { name: "Next tasks" }));
  const texts = list.getAllByRole("listitem").map((item) => item.textContent);
  expect(texts[0]).toBe("Regular serviceoverdue by 62.5 hoursOverdue");
  expect(texts[1]).toMatch(/^Inspection\w+\s\d+,\s\d{4}maintenance 400 days late/);
  expect(texts[2]).toMatch(/^FilterDue nowservice due at 4,810 · 2.5 hours over/);
});

it("says until when a task is snoozed, unless its use reaches further", async () => {
  const snooze = { untilDate: "2099-12-06" };
  const used = {
    usageInterval: 250,
    usagePercent: 97,
    nextDueUsage: 4820,
    remainingUsage: 7.5,
    snooze,
  };
  await openDetail(
    world({
      tasks: [
        { id: "t0", fromForm: true, ...used, projectedDueDate: "2099-12-06" },
        // The calendar decides for a server that counts a snooze as a date.
        { id: "t1", name: "A", ...used, projectedDueDate: "2099-12-06", projectedByCalendar: true },
        { id: "t2", name: "B", ...used, projectedDueDate: "2099-12-20" },
      ],
    }),
  );
  const list = within(await screen.findByRole("list", { name: "Next tasks" }));
  const texts = list.getAllByRole("listitem").map((item) => item.textContent);
  expect(texts).toEqual([
    "Regular serviceSnoozed until Dec 6, 20997.5 hours until service",
    "ASnoozed until Dec 6, 20997.5 hours until service",
    "Babout Dec 20, 20997.5 hours until service",
  ]);
});

it("says about when a task that is snoozed until a usage counts again", async () => {
  const used = { usageInterval: 250, usagePercent: 97, nextDueUsage: 4820, remainingUsage: 7.5 };
  const snooze = { untilUsage: 4830 };
  await openDetail(
    world({
      tasks: [{ id: "t1", name: "A", ...used, snooze, projectedDueDate: "2099-12-21" }],
    }),
  );
  const list = within(await screen.findByRole("list", { name: "Next tasks" }));
  expect(list.getByRole("listitem").textContent).toBe(
    "ASnoozed until about Dec 21, 20997.5 hours until service",
  );
});

it("has both limits of a task, the usage first while the use is unknown", async () => {
  const task = {
    id: "t1",
    name: "Oil",
    usageInterval: 250,
    usagePercent: 97,
    nextDueUsage: 4820,
    remainingUsage: 7.5,
    nextDueDate: "2099-12-06",
    daysUntilDue: 365,
    projectedDueDate: "2099-12-06",
    projectedByCalendar: true,
  };
  await openDetail(world({ tasks: [task] }));
  const list = within(await screen.findByRole("list", { name: "Next tasks" }));
  expect(list.getByRole("listitem").textContent).toMatch(
    /^Oil7\.5 hours until service · maintenance in 365 days, Dec.6,.2099$/,
  );
});

it("shows an error with a retry while the tasks can't be loaded", async () => {
  const used = { usageInterval: 250, nextDueUsage: 4820, remainingUsage: 7.5 };
  const state = world({ tasks: [{ id: "t0", fromForm: true, ...used }], tasksFail: true });
  await openDetail(state);
  await screen.findByText("The service tasks could not be loaded.");
  expect(screen.getByRole("heading", { name: "Next tasks" })).toBeTruthy();
  state.tasksFail = false;
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("list", { name: "Next tasks" })).toBeTruthy();
  expect(screen.queryByText("The service tasks could not be loaded.")).toBeNull();
});
