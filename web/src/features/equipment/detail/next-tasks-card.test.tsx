import { screen, within } from "@testing-library/react";
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
