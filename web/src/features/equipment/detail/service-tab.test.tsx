import { Code } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import {
  CalendarUnit,
  HistoryKind,
  ServiceStatus,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentToast } from "#/shared/toast/store";
import { refusal } from "#/test/refusal";
import { openDialog } from "#/test/open-dialog";
import { day, id, openDetail, record, world, type World } from "./detail.fixture";

const formTask = {
  id: "t0",
  fromForm: true,
  usageInterval: 250,
  lastDoneUsage: 4500,
  status: ServiceStatus.OVERDUE,
  usagePercent: 125,
  nextDueUsage: 4750,
  remainingUsage: 0,
};
const oil = {
  id: "t1",
  name: "Oil filter",
  usageInterval: 250,
  lastDoneUsage: 4780,
  calendarInterval: 6,
  calendarUnit: CalendarUnit.MONTHS,
  lastDoneOn: "2026-06-01",
  nextDueDate: "2026-12-01",
  daysUntilDue: 10,
  status: ServiceStatus.GOOD,
  usagePercent: 13,
  nextDueUsage: 5030,
  remainingUsage: 217.5,
  projectedDueDate: "2199-01-04",
};

const withTasks = () =>
  world({
    tasks: [formTask, oil],
    records: [record({ kind: HistoryKind.SERVICE, taskName: "Oil filter" })],
  });
const open = (state: World) => openDetail(state, "?tab=service");
const press = async (name: string) => {
  fireEvent.click(await screen.findByRole("button", { name }));
  if (screen.queryByRole("dialog")) await openDialog();
};
const dialog = () => within(screen.getByRole("dialog"));
const type = (label: RegExp, value: string) =>
  fireEvent.change(dialog().getByLabelText(label), { target: { value } });

describe("the tasks", () => {
  it("are listed with interval, status, remaining usage, last and next service", async () => {
    await open(withTasks());
    const list = within(await screen.findByRole("list", { name: "Service tasks" }));
    const [first, second] = list.getAllByRole("listitem").map((item) => item.textContent);
    expect(first).toContain("Regular service");
    expect(first).toContain("every 250 hours");
    expect(first).toContain("Overdue");
    expect(first).toContain("overdue by 62.5 hours");
    expect(second).toContain("every 250 hours or 6 months");
    expect(second).toContain("217.5 hours until service");
    expect(second).toMatch(/maintenance in 10 days, Dec\s1,\s2026/);
    expect(second).toContain("about Jan 4, 2199");
    expect(first).not.toContain("about");
    expect(second).toContain("Last done: 4,780 hours · Jun 1, 2026");
    expect(first).toContain("Counts from 4,500 hours");
    expect(second).toContain("Next due: 5,030 hours · Dec 1, 2026");
  });

  it("can't delete the regular service", async () => {
    await open(withTasks());
    expect(await screen.findByRole("button", { name: "Done: Regular service" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Delete Regular service" })).toBeNull();
  });

  it("offers no Done if the form has neither interval nor schedule", async () => {
    await open(world({ tasks: [{ id: "t0", fromForm: true }] }));
    expect(await screen.findByText("no interval and no schedule set")).toBeTruthy();
    const link = screen.getByRole("link", { name: "Edit in the form" });
    expect(link.getAttribute("href")).toBe(`/add-equipment?edit=${id}&from=item`);
    expect(screen.queryByRole("button", { name: "Done: Regular service" })).toBeNull();
  });
});

describe("adding a task", () => {
  it("validates before anything is sent", async () => {
    const state = withTasks();
    await open(state);
    await press("Add task");
    fireEvent.click(dialog().getByRole("button", { name: "Add task" }));
    expect(await dialog().findByText("Task name is required")).toBeTruthy();
    expect(dialog().getByText("Enter a usage interval, a calendar interval or both.")).toBeTruthy();
    expect(state.calls).toEqual([]);
  });

  it("sends name and intervals", async () => {
    const state = withTasks();
    await open(state);
    await press("Add task");
    type(/^Task name/, " V-belts ");
    type(/^Usage interval/, "500");
    type(/^Calendar interval/, "1x");
    fireEvent.change(dialog().getByLabelText("Unit"), {
      target: { value: "years" },
    });
    fireEvent.click(dialog().getByRole("button", { name: "Add task" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Task added"));
    expect(state.calls).toMatchObject([
      [
        "createTask",
        {
          equipmentId: id,
          task: {
            name: "V-belts",
            usageInterval: 500,
            calendarInterval: 1,
            calendarUnit: CalendarUnit.YEARS,
          },
        },
      ],
    ]);
  });

  it.each([
    ["TOO_MANY_TASKS", /reached the maximum number of service tasks/],
    ["SUBSCRIPTION_INACTIVE", /Your subscription is not active/],
  ])("keeps what was typed when it is refused: %s", async (code, text) => {
    const state = withTasks();
    state.refusal = refusal(Code.FailedPrecondition, code);
    await open(state);
    await press("Add task");
    type(/^Task name/, "V-belts");
    type(/^Usage interval/, "500");
    fireEvent.click(dialog().getByRole("button", { name: "Add task" }));
    expect(await screen.findAllByText(text)).toHaveLength(1);
    expect(dialog().getByLabelText<HTMLInputElement>(/^Task name/).value).toBe("V-belts");
    expect(currentToast()).toBeNull();
  });
});

it("editing sends only what was changed", async () => {
  const state = withTasks();
  await open(state);
  await press("Edit Oil filter");
  type(/^Usage interval/, "300");
  fireEvent.click(dialog().getByRole("button", { name: "Save task" }));
  await waitFor(() => expect(currentToast()?.title).toBe("Task updated"));
  const [, request] = state.calls[0] ?? [];
  expect(request).toMatchObject({
    equipmentId: id,
    taskId: "t1",
    task: { usageInterval: 300 },
  });
  expect(request && "task" in request && request.task).not.toHaveProperty("lastDoneOn");
});

it("deleting asks first", async () => {
  const state = withTasks();
  await open(state);
  await press("Delete Oil filter");
  const question = await openDialog(undefined, "alertdialog");
  expect(question.getByText(/Past services stay in the history/)).toBeTruthy();
  expect(state.calls).toEqual([]);
  fireEvent.click(question.getByRole("button", { name: "Delete task" }));
  await waitFor(() => expect(currentToast()?.title).toBe("Task deleted"));
  expect(state.calls).toEqual([["deleteTask", { equipmentId: id, taskId: "t1" }]]);
});

describe("Done", () => {
  it("fills in the meter of the day and sends the given values", async () => {
    const state = withTasks();
    state.records = [
      record({ id: "a", usage: 4812.5, capturedAt: day("2026-11-20") }),
      record({ id: "b", usage: 4500, capturedAt: day("2026-01-03") }),
    ];
    await open(state);
    await press("Done: Oil filter");
    const meter = () => dialog().getByLabelText<HTMLInputElement>(/^Meter on that day/);
    expect(meter().value).toBe("4812.5");
    type(/^Date of service/, "2026-01-05");
    expect(await dialog().findByText(/^Last known: 4,500 hours on Jan 3, 2026. Next/)).toBeTruthy();
    expect(meter().value).toBe("4500");
    type(/^Meter on that day/, "4,520");
    type(/^Cost/, "125.50");
    type(/^Service notes/, " dealer ");
    fireEvent.click(dialog().getByRole("button", { name: "Done" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Task done"));
    expect(state.calls).toMatchObject([
      [
        "complete",
        {
          equipmentId: id,
          taskId: "t1",
          meter: 4520,
          expectedReading: 4812.5,
          cost: 125.5,
          performedAt: "2026-01-05",
          notes: "dealer",
        },
      ],
    ]);
  });

  it("shows a refusal in words", async () => {
    const state = withTasks();
    state.refusal = refusal(Code.FailedPrecondition, "NO_SERVICE_PLAN");
    await open(state);
    await press("Done: Regular service");
    fireEvent.click(dialog().getByRole("button", { name: "Done" }));
    expect(
      await dialog().findByText(
        "This equipment has no service interval and no maintenance schedule.",
      ),
    ).toBeTruthy();
  });
});

describe("the service history", () => {
  it("adds up what services cost; voided ones cost nothing", async () => {
    const service = { kind: HistoryKind.SERVICE, performedOn: "2026-11-17" };
    const voiding = { by: "Ana", reason: "x", at: day("2026-11-20") };
    const state = withTasks();
    state.records = [
      record({ ...service, id: "a", createdAt: day("2026-11-19"), cost: 0.1 }),
      record({ ...service, id: "b", createdAt: day("2026-11-18"), cost: 0.2 }),
      record({ ...service, id: "c", createdAt: day("2026-11-17"), cost: 1890 }),
      record({ ...service, id: "d", cost: 500, voiding }),
      record({ ...service, id: "e" }),
      record({ id: "usage", usage: 1 }),
    ];
    await open(state);
    expect(await screen.findByText("$1,890.30")).toBeTruthy();
    const list = within(screen.getByRole("list", { name: "Service history" }));
    expect(list.getAllByRole("listitem")).toHaveLength(5);
  });

  it("has an empty state", async () => {
    await open(world({ tasks: [formTask, oil] }));
    expect(await screen.findByText("No services yet")).toBeTruthy();
    expect(screen.queryByText("Total cost")).toBeNull();
  });
});
