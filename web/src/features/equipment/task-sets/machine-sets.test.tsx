import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { CalendarUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { TaskSetChangeKind, TaskSetMode } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { id, openDetail, world } from "../detail/detail.fixture";

const excavators = {
  taskSetId: "s1",
  taskSetName: "Excavators",
  equipmentId: id,
  equipmentName: "Excavator",
  ok: true,
};
const oil = (usageInterval: number) => ({ name: "Oil", usageInterval });

it("the Service tab shows what differs from a set and resets it after a preview", async () => {
  const state = world({
    tasks: [
      { id: "t1", name: "Oil", usageInterval: 200 },
      { id: "t2", name: "Grease", usageInterval: 50 },
    ],
    sets: [
      {
        ...excavators,
        changes: [
          { kind: TaskSetChangeKind.KEPT, taskId: "t1", before: oil(200), after: oil(250) },
          { kind: TaskSetChangeKind.SAME, taskId: "t2" },
          {
            kind: TaskSetChangeKind.KEPT,
            after: { name: "Check", calendarInterval: 1, calendarUnit: CalendarUnit.YEARS },
          },
        ],
      },
    ],
  });
  await openDetail(state, "?tab=service");
  const tasks = within(await screen.findByRole("list", { name: "Service tasks" }));
  await tasks.findByText("Differs from set “Excavators”");
  expect(tasks.getByText("From set “Excavators”")).toBeTruthy();
  const sets = within(screen.getByRole("list", { name: "Task sets" }));
  expect(sets.getByText("Oil: differs, stays every 200 hours (set: every 250 hours)")).toBeTruthy();
  expect(
    sets.getByText("Check: not on this machine, stays removed (set: every year)"),
  ).toBeTruthy();

  state.sets = [
    {
      ...excavators,
      changes: [
        { kind: TaskSetChangeKind.CHANGED, taskId: "t1", before: oil(200), after: oil(250) },
      ],
    },
  ];
  fireEvent.click(sets.getByRole("button", { name: "Reset to the set" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Reset to “Excavators”" }));
  await dialog.findByText("Oil: every 200 hours → every 250 hours");
  fireEvent.click(dialog.getByRole("button", { name: "Change 1 machine" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(state.calls).toMatchObject([
    ["applySet", { taskSetId: "s1", equipmentIds: [id], mode: TaskSetMode.RESET }],
  ]);
});
