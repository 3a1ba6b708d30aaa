import { Code } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import {
  CalendarUnit,
  ServiceStatus,
  TaskBasis,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentToast } from "#/shared/toast/store";
import { fieldRefusal, refusal } from "#/test/refusal";
import { day, excavator, id, openDetail, world, type World } from "./detail.fixture";

const oil = {
  id: "t1",
  name: "Oil filter",
  usageInterval: 250,
  lastDoneUsage: 4000,
  status: ServiceStatus.OVERDUE,
  usagePercent: 325,
  nextDueUsage: 4250,
  remainingUsage: 0,
  missedRounds: 2,
};
const snooze = {
  untilDate: "2199-03-12",
  reason: "Parts ordered",
  by: "Ana Ruiz",
};

const read = () => excavator({ meterReadAt: day("2026-11-20") });
const open = (state: World) => openDetail(state, "?tab=service");
const press = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));
const dialog = () => within(screen.getByRole("dialog"));
const type = (label: RegExp, value: string) =>
  fireEvent.change(dialog().getByLabelText(label), { target: { value } });
const preview = () => dialog().getByRole("status", { name: "Preview" }).textContent;

describe("the dialog of a task", () => {
  it("says when the task is due next, while it is typed", async () => {
    await open(world({ equipment: read() }));
    await press("Add task");
    expect(preview()).toBe("");
    type(/^Usage interval/, "250");
    expect(preview()).toBe("Next: 5,062.5 hours (in 250 hours), then 250 hours after each service");
    type(/^Next due counts from/, "on_the_mark");
    expect(preview()).toBe("Next: 5,000 hours (in 187.5 hours), then every 250 hours");
    type(/^First due at/, "4000");
    expect(preview()).toBe(
      "Next: 4,000 hours (reached 812.5 hours ago, 3 rounds missed), then every 250 hours",
    );
    type(/^Usage interval/, "");
    type(/^Calendar interval/, "12");
    type(/^First due on/, "2200-03-01");
    expect(preview()).toMatch(/^Next: Mar 1, 2200 \(in [\d,]+ days\), then every 12 months$/);
  });

  it("sends basis, first due point and warning from the options, which are folded at first", async () => {
    const state = world({ equipment: read() });
    await open(state);
    await press("Add task");
    const options = screen.getByText("More options").closest("details");
    expect(options?.open).toBe(false);
    type(/^Task name/, "Oil");
    type(/^Usage interval/, "250");
    type(/^Next due counts from/, "on_the_mark");
    type(/^First due at/, "1,500");
    type(/^Warn before/, "25");
    type(/^In$/, "usage");
    fireEvent.click(dialog().getByRole("button", { name: "Add task" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Task added"));
    expect(state.calls).toMatchObject([
      [
        "createTask",
        {
          task: {
            basis: TaskBasis.ON_THE_MARK,
            firstDueUsage: 1500,
            warningPercent: 0,
            warningUsage: 25,
          },
        },
      ],
    ]);
  });

  it("unfolds the options if something in them is set or wrong", async () => {
    await open(world({ tasks: [{ ...oil, basis: TaskBasis.ON_THE_MARK }] }));
    await press("Edit Oil filter");
    expect(screen.getByText("More options").closest("details")?.open).toBe(true);
    type(/^Warn before/, "100");
    fireEvent.click(dialog().getByRole("button", { name: "Save task" }));
    expect(await dialog().findByText("Enter 1 to 99%, or less than the interval.")).toBeTruthy();
  });

  it("keeps the options unfolded while an error in them is corrected", async () => {
    await open(world());
    await press("Add task");
    const options = screen.getByText("More options").closest("details");
    type(/^Task name/, "Oil");
    type(/^Usage interval/, "250");
    type(/^Warn before/, "100");
    expect(options?.open).toBe(false);
    fireEvent.click(dialog().getByRole("button", { name: "Add task" }));
    await waitFor(() => expect(options?.open).toBe(true));
    type(/^Warn before/, "10");
    await waitFor(() => expect(dialog().queryByText(/^Enter 1 to 99%/)).toBeNull());
    expect(options?.open).toBe(true);
    if (!options) throw new Error("no options");
    options.open = false;
    fireEvent(options, new Event("toggle"));
    type(/^Task name/, "Oil filter");
    expect(options.open).toBe(false);
  });

  it("shows the server's error of a warning distance at its field", async () => {
    const state = world();
    state.refusal = fieldRefusal("warningUsage", "Too large.");
    await open(state);
    await press("Add task");
    type(/^Task name/, "Oil");
    type(/^Usage interval/, "250");
    fireEvent.click(dialog().getByRole("button", { name: "Add task" }));
    expect(await dialog().findByText("Too large.")).toBeTruthy();
    expect(
      dialog()
        .getByLabelText(/^Warn before/)
        .getAttribute("aria-invalid"),
    ).toBe("true");
  });

  it("names the scale of the first due usage if the meter was replaced", async () => {
    await open(
      world({
        equipment: excavator({ currentUsage: 5000, meterReading: 200 }),
      }),
    );
    await press("Add task");
    expect(dialog().getAllByText(/Across all meters; now 5,000 hours/)).toHaveLength(2);
  });
});

describe("the dialog of the regular service", () => {
  const regular = {
    id: "t0",
    fromForm: true,
    usageInterval: 250,
    lastDoneUsage: 4500,
    calendarInterval: 6,
    calendarUnit: CalendarUnit.MONTHS,
    // A schedule may begin later.
    lastDoneOn: "2199-12-01",
    nextDueUsage: 4750,
    status: ServiceStatus.OVERDUE,
  };

  it("shows what the form has, with a link to it, and sends only the rule", async () => {
    const state = world({ equipment: read(), tasks: [regular] });
    await open(state);
    await press("Edit Regular service");
    expect(dialog().getByText("every 250 hours or 6 months")).toBeTruthy();
    expect(dialog().getByText("Counts from 4,500 hours · Dec 1, 2199")).toBeTruthy();
    const link = dialog().getByRole("link", { name: "Edit in the form" });
    expect(link.getAttribute("href")).toBe(`/add-equipment?edit=${id}&from=item`);
    expect(dialog().queryByLabelText(/^Task name/)).toBeNull();
    expect(dialog().queryByLabelText(/^Usage interval/)).toBeNull();
    expect(screen.getByText("More options").closest("details")?.open).toBe(true);
    type(/^Next due counts from/, "on_the_mark");
    type(/^First due at/, "5000");
    type(/^Warn before/, "25");
    type(/^In$/, "usage");
    type(/^Warn days before/, "14");
    expect(preview()).toMatch(/^Next: 5,000 hours \(in 187.5 hours\), then every 250 hours/);
    fireEvent.click(dialog().getByRole("button", { name: "Save task" }));
    await waitFor(() => expect(currentToast()?.description).toBe("The regular service was saved."));
    const [call] = state.calls;
    expect(call).toMatchObject(["updateTask", { equipmentId: id, taskId: "t0" }]);
    expect(call?.[1]).toHaveProperty("task", {
      $typeName: "hourmeter.equipment.v1.ServiceTaskInput",
      basis: TaskBasis.ON_THE_MARK,
      firstDueUsage: 5000,
      warningPercent: undefined,
      warningUsage: 25,
      warningDays: 14,
    });
  });
});

describe("a task in the list", () => {
  it("says its rule and how many rounds were missed", async () => {
    await open(
      world({
        tasks: [{ ...oil, basis: TaskBasis.ON_THE_MARK, warningUsage: 25 }],
      }),
    );
    const list = within(await screen.findByRole("list", { name: "Service tasks" }));
    const text = list.getByRole("listitem").textContent;
    expect(text).toContain("every 250 hours, on fixed marks, warning 25 hours before");
    expect(text).toContain("2 rounds missed");
  });

  it("says until when it is snoozed, why and by whom, also in the header", async () => {
    const snoozedTasks = [{ id: "t1", name: "Oil filter", snooze }];
    await open(
      world({
        equipment: excavator({ snoozedTasks }),
        tasks: [{ ...oil, snooze }],
      }),
    );
    const list = within(await screen.findByRole("list", { name: "Service tasks" }));
    expect(list.getByText("Snoozed until: Mar 12, 2199. Parts ordered · Ana Ruiz")).toBeTruthy();
    expect(list.queryByText("Overdue")).toBeNull();
    expect(screen.getByText("Oil filter: Snoozed until: Mar 12, 2199. Parts ordered")).toBeTruthy();
  });
});

describe("snoozing a task", () => {
  it("needs a reason and a day after today, and can be undone", async () => {
    const state = world({ tasks: [oil] });
    await open(state);
    await press("Snooze Oil filter");
    await screen.findByRole("dialog");
    type(/^Date/, "2020-01-01");
    fireEvent.click(dialog().getByRole("button", { name: "Snooze" }));
    expect(await dialog().findByText("Choose a day after today.")).toBeTruthy();
    expect(state.calls).toEqual([]);
    type(/^Date/, "2199-03-12");
    type(/^Reason/, " Parts ordered ");
    fireEvent.click(dialog().getByRole("button", { name: "Snooze" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Oil filter snoozed"));
    expect(currentToast()?.description).toBe("Snoozed until: Mar 12, 2199. Parts ordered");
    currentToast()?.action?.run();
    await waitFor(() => expect(currentToast()?.title).toBe("Oil filter is no longer snoozed"));
    expect(state.calls).toMatchObject([
      [
        "snooze",
        {
          equipmentId: id,
          taskId: "t1",
          untilDate: "2199-03-12",
          reason: "Parts ordered",
        },
      ],
      ["wake", { equipmentId: id, taskId: "t1" }],
    ]);
  });

  it("until a meter value sends it life-to-date", async () => {
    const state = world({
      equipment: excavator({ currentUsage: 5000, meterReading: 200 }),
      tasks: [oil],
    });
    await open(state);
    await press("Snooze Oil filter");
    await screen.findByRole("dialog");
    type(/^Until/, "usage");
    type(/^Meter value/, "200");
    type(/^Reason/, "Later");
    fireEvent.click(dialog().getByRole("button", { name: "Snooze" }));
    expect(await dialog().findByText("Enter a value above the meter.")).toBeTruthy();
    type(/^Meter value/, "250");
    fireEvent.click(dialog().getByRole("button", { name: "Snooze" }));
    await waitFor(() => expect(state.calls).toMatchObject([["snooze", { untilUsage: 5050 }]]));
  });

  it("until a date ignores what was typed as a meter value", async () => {
    const state = world({ tasks: [oil] });
    await open(state);
    await press("Snooze Oil filter");
    await screen.findByRole("dialog");
    type(/^Until/, "usage");
    type(/^Meter value/, "abc");
    type(/^Until/, "date");
    type(/^Reason/, "Later");
    fireEvent.click(dialog().getByRole("button", { name: "Snooze" }));
    await waitFor(() => expect(state.calls).toMatchObject([["snooze", { reason: "Later" }]]));
  });

  it("keeps what was typed when it is refused", async () => {
    const state = world({ tasks: [oil] });
    state.refusal = refusal(Code.FailedPrecondition, "SUBSCRIPTION_INACTIVE");
    await open(state);
    await press("Snooze Oil filter");
    await screen.findByRole("dialog");
    type(/^Reason/, "Later");
    fireEvent.click(dialog().getByRole("button", { name: "Snooze" }));
    expect(await screen.findByText(/Your subscription is not active/)).toBeTruthy();
    expect(dialog().getByLabelText<HTMLTextAreaElement>(/^Reason/).value).toBe("Later");
  });

  it("ends with Wake up", async () => {
    const state = world({ tasks: [{ ...oil, snooze }] });
    await open(state);
    await press("Wake up Oil filter");
    await waitFor(() => expect(state.calls).toMatchObject([["wake", { taskId: "t1" }]]));
    expect(screen.queryByRole("button", { name: "Snooze Oil filter" })).toBeNull();
  });
});
