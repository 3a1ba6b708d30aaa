import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import {
  CalendarUnit,
  type EquipmentSchema,
  EquipmentService,
  EquipmentType,
  MeterUnit,
  TaskBasis,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  TaskSetChangeKind,
  TaskSetMode,
  TaskSetStart,
  TaskSetSchema,
  TaskSetService,
  type TaskSet,
  type TaskSetInput,
  type TaskSetResultSchema,
} from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { fieldRefusal, refusal } from "#/test/refusal";
import { owner, renderApp, stubRest } from "#/test/render-app";
import { openDialog } from "#/test/open-dialog";
import { currentToast } from "#/shared/toast/store";

type Result = MessageInitShape<typeof TaskSetResultSchema>;

const excavators = (more: Partial<TaskSet> = {}) =>
  Object.assign(
    create(TaskSetSchema, {
      id: "s1",
      name: "Excavators",
      unit: MeterUnit.HOURS,
      revision: 4n,
      machines: 2,
      items: [
        { id: "i1", name: "Oil", usageInterval: 250 },
        { id: "i2", name: "Check", calendarInterval: 1, calendarUnit: CalendarUnit.YEARS },
      ],
    }),
    more,
  );

const result = (id: string, name: string, more: Result = {}): Result => ({
  taskSetId: "s1",
  taskSetName: "Excavators",
  equipmentId: id,
  equipmentName: name,
  ok: true,
  ...more,
});

const added = { kind: TaskSetChangeKind.ADDED, after: { name: "Oil", usageInterval: 250 } };

async function open(sets: TaskSet[], results: Result[] = []) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const calls: unknown[] = [];
  const state = {
    sets,
    results,
    refuse: null as ConnectError | null,
    /** Delays the preview. */
    gate: Promise.resolve(),
    choices: {},
    more: [] as Array<MessageInitShape<typeof EquipmentSchema>>,
  };
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, { getCompanySettings: () => ({}) });
    service(EquipmentService, {
      getSummary: () => ({ groups: ["Crew North"] }),
      listEquipment: ({ type, group }) => {
        const all = [
          { id: "e1", name: "Crane", type: EquipmentType.MACHINERY },
          { id: "e2", name: "Truck", type: EquipmentType.VEHICLE, unitNumber: "T-7" },
          { id: "e3", name: "Grúa", type: EquipmentType.MACHINERY, group: "Crew North" },
          ...state.more,
        ];
        const found = all.filter((row) => type === 0 || row.type === type);
        return { equipment: found.filter((row) => group === undefined || row.group === group) };
      },
    });
    const store = (fields: TaskSetInput | undefined) => {
      if (state.refuse) throw state.refuse;
      calls.push(fields);
      return { taskSet: excavators({ outdatedMachines: 1 }) };
    };
    service(TaskSetService, {
      listTaskSets: () => ({ taskSets: state.sets }),
      createTaskSet: ({ taskSet }) => store(taskSet),
      updateTaskSet: ({ taskSet }) => store(taskSet),
      deleteTaskSet: ({ id }) => {
        calls.push(["delete", id]);
        return {};
      },
      previewTaskSet: async ({ equipmentIds }) => {
        calls.push(["preview", equipmentIds]);
        await state.gate;
        return { results: state.results };
      },
      applyTaskSet: ({ equipmentIds, mode, expectedRevision, skips, keepTaskIds, start }) => {
        calls.push(["apply", equipmentIds, mode, expectedRevision]);
        const items = skips.map(({ equipmentId, itemId }) => [equipmentId, itemId]);
        state.choices = { items, keepTaskIds, start };
        if (state.refuse) throw state.refuse;
        return { results: state.results };
      },
    });
  });
  await renderApp("/task-sets", transport);
  await screen.findByRole("heading", { level: 1, name: "Task sets" });
  return { calls, state };
}

const press = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));
const dialog = openDialog;

describe("task sets", () => {
  it("are printed with their tasks, intervals and number of machines", async () => {
    const print = vi.fn<() => void>();
    vi.stubGlobal("print", print);
    await open([excavators(), excavators({ id: "s2", name: "Trucks", machines: 0 })]);
    await press("Print");
    await waitFor(() => expect(print).toHaveBeenCalledOnce());
    const report = document.querySelector<HTMLElement>("body > [data-print-report]");
    if (!report) throw new Error("no report");
    const cells = [...report.querySelectorAll("tr")].map((row) =>
      Array.from(row.cells, ({ textContent }) => textContent),
    );
    expect(cells).toEqual([
      ["Task set", "Machines", "Task", "Interval"],
      ["Excavators", "2", "Oil", "every 250 hours"],
      ["", "", "Check", "every year"],
      ["Trucks", "0", "Oil", "every 250 hours"],
      ["", "", "Check", "every year"],
    ]);
    fireEvent(window, new Event("afterprint"));
    vi.unstubAllGlobals();
  });

  it("begin with an explanation and an example", async () => {
    const { calls } = await open([]);
    await screen.findByText("No task sets yet");
    await press("Begin with an example");
    const editor = await dialog("New task set");
    expect(editor.getAllByRole("listitem")).toHaveLength(5);
    fireEvent.click(editor.getByRole("button", { name: "Remove task 5" }));
    fireEvent.click(editor.getByRole("button", { name: "Save task set" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(calls).toMatchObject([
      {
        name: "Excavator service",
        unit: MeterUnit.HOURS,
        items: [
          { name: "Grease pins and bushings", usageInterval: 50 },
          { usageInterval: 250, calendarInterval: 12, calendarUnit: CalendarUnit.MONTHS },
          { usageInterval: 500 },
          { usageInterval: 2000 },
        ],
      },
    ]);
  });

  it("show their tasks and machines, and offer a change at once", async () => {
    const { calls } = await open(
      [excavators({ outdatedMachines: 1 })],
      [
        result("e1", "Crane", {
          changes: [
            {
              kind: TaskSetChangeKind.CHANGED,
              before: { name: "Oil", usageInterval: 250 },
              after: { name: "Oil", usageInterval: 200 },
            },
          ],
        }),
        result("e2", "Truck", { changes: [{ kind: TaskSetChangeKind.SAME }] }),
      ],
    );
    const list = within(await screen.findByRole("list", { name: "Task sets" }));
    expect(list.getByText("2 machines have it")).toBeTruthy();
    expect(list.getByText("every 250 hours")).toBeTruthy();
    expect(list.getByText("every year")).toBeTruthy();
    await press("See changes");
    const preview = await dialog("Changes from “Excavators”");
    await preview.findByText("Oil: every 250 hours → every 200 hours");
    expect(preview.getByText("As in the set, nothing changes")).toBeTruthy();
    expect(preview.getByText("The tasks of 1 machine change.")).toBeTruthy();
    expect(preview.getByText(/^1 machine keeps its tasks as they are/)).toBeTruthy();
    fireEvent.click(preview.getByRole("button", { name: "Use on 2 machines" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    // A machine with the same tasks gets the set, too.
    expect(calls.slice(0, 2)).toEqual([
      ["preview", []],
      ["apply", ["e1", "e2"], TaskSetMode.UPDATE, 4n],
    ]);
  });

  it("are assigned by type, with the reason of a machine that is not changed", async () => {
    const { calls, state } = await open(
      [excavators()],
      [result("e2", "Truck", { changes: [added] })],
    );
    await press("Assign to machines");
    const assign = await dialog("Assign “Excavators”");
    await assign.findByLabelText("Crane");
    fireEvent.change(assign.getByLabelText("Type"), { target: { value: "vehicle" } });
    fireEvent.click(await assign.findByLabelText("Select 1 machine"));
    expect(assign.getByLabelText("T-7 Truck")).toHaveProperty("checked", true);
    fireEvent.click(assign.getByRole("button", { name: "Next: 1 machine" }));
    const preview = await dialog("Changes from “Excavators”");
    await preview.findByText("Oil: added, every 250 hours");
    state.results = [
      result("e2", "Truck", { ok: false, code: "TASK_SET_UNIT_DIFFERS", message: "No." }),
    ];
    fireEvent.click(preview.getByRole("button", { name: "Use on 1 machine" }));
    await preview.findByText("1 machine was not changed:");
    expect(
      preview.getByText("The task set counts in another unit than this machine."),
    ).toBeTruthy();
    expect(calls).toEqual([
      ["preview", ["e2"]],
      ["apply", ["e2"], TaskSetMode.UPDATE, 4n],
      ["preview", ["e2"]],
    ]);
  });

  it("say that a machine has no meter instead of another unit", async () => {
    const differs = { ok: false, code: "TASK_SET_UNIT_DIFFERS", message: "No." };
    const { state } = await open(
      [excavators({ outdatedMachines: 1 })],
      [result("e2", "Truck", differs), result("e4", "Trailer", differs)],
    );
    const { NOT_APPLICABLE: unit } = MeterUnit;
    state.more = [{ id: "e4", name: "Trailer", type: EquipmentType.OTHER, unit }];
    await press("See changes");
    const preview = await dialog("Changes from “Excavators”");
    expect(await preview.findByText("This machine has no meter.")).toBeTruthy();
    expect(
      preview.getAllByText("The task set counts in another unit than this machine."),
    ).toHaveLength(1);
  });

  it("skip tasks that look like those of a machine unless they are ticked, and are undone", async () => {
    const item = (id: string, name: string) => ({ id, name, usageInterval: 250 });
    const like = (id: string, name: string) => ({
      kind: TaskSetChangeKind.ADDED,
      after: item(id, name),
      lookalike: { name: "", usageInterval: 250 },
    });
    const own = { kind: TaskSetChangeKind.SAME, taskId: "own", after: item("i4", "Grease") };
    const changes = [like("i1", "Oil"), like("i2", "Filter"), own];
    const { calls, state } = await open([excavators()], [result("e2", "Truck", { changes })]);
    await press("Assign to machines");
    const assign = await dialog("Assign “Excavators”");
    fireEvent.click(await assign.findByLabelText("T-7 Truck"));
    fireEvent.click(assign.getByRole("button", { name: "Next: 1 machine" }));
    const preview = await dialog("Changes from “Excavators”");
    await preview.findByText(/^2 tasks look like ones/);
    const oil = preview.getByLabelText("Add Oil, every 250 hours");
    expect(oil).toHaveProperty("checked", false);
    expect(
      preview.getAllByText("Looks like “Regular service” with the same interval."),
    ).toHaveLength(2);
    fireEvent.click(preview.getByLabelText("Add all 2 too"));
    fireEvent.click(oil);
    fireEvent.click(preview.getByLabelText("The last service"));
    fireEvent.click(preview.getByRole("button", { name: "Use on 1 machine" }));
    await waitFor(() => expect(currentToast()?.action?.label).toBe("Undo"));
    expect(state.choices).toEqual({
      items: [["e2", "i1"]],
      keepTaskIds: [],
      start: TaskSetStart.LAST_SERVICE,
    });
    currentToast()?.action?.run();
    await waitFor(() => expect(currentToast()?.title).toBe("Change undone"));
    expect(calls.at(-1)).toEqual(["apply", ["e2"], TaskSetMode.REMOVE, undefined]);
    expect(state.choices).toMatchObject({ items: [], keepTaskIds: ["own"] });
  });

  it("count and sort machines without the tasks that are skipped", async () => {
    const like = {
      ...added,
      after: { id: "i1", ...added.after },
      lookalike: { name: "Engine oil", usageInterval: 250 },
    };
    await open(
      [excavators({ outdatedMachines: 1 })],
      [
        result("e1", "Crane", { changes: [like] }),
        result("e2", "Truck", { changes: [added] }),
        result("e3", "Loader", { changes: [{ kind: TaskSetChangeKind.SAME }] }),
      ],
    );
    await press("See changes");
    const preview = await dialog("Changes from “Excavators”");
    const names = () =>
      preview.getAllByText(/^(Crane|Truck|Loader)$/).map(({ textContent }) => textContent);
    await preview.findByText("The tasks of 1 machine change.");
    expect(preview.getByText(/^2 machines keep their tasks as they are/)).toBeTruthy();
    expect(names()).toEqual(["Truck", "Crane", "Loader"]);
    fireEvent.click(preview.getByLabelText("Add Oil, every 250 hours"));
    expect(preview.getByText("The tasks of 2 machines change.")).toBeTruthy();
    expect(names()).toEqual(["Truck", "Crane", "Loader"]);
  });

  it("are found without accents, and name machines that are left out first", async () => {
    await open(
      [excavators()],
      [
        result("e2", "Truck", { changes: [added] }),
        result("e3", "Grúa", { ok: false, code: "TASK_SET_UNIT_DIFFERS", message: "No." }),
      ],
    );
    await press("Assign to machines");
    const assign = await dialog("Assign “Excavators”");
    await assign.findByLabelText("Crane");
    fireEvent.change(assign.getByLabelText("Group"), { target: { value: "=Crew North" } });
    await assign.findByLabelText("Select 1 machine");
    fireEvent.change(assign.getByLabelText("Group"), { target: { value: "" } });
    fireEvent.click(await assign.findByLabelText("Select all 3 machines"));
    const search = assign.getByRole("searchbox");
    fireEvent.change(search, { target: { value: "grua" } });
    expect(assign.getByLabelText("Grúa")).toBeTruthy();
    fireEvent.click(assign.getByRole("button", { name: "Next: 3 machines" }));
    const preview = await dialog("Changes from “Excavators”");
    const machines = within(await preview.findByRole("list", { name: "Machines" }));
    expect(machines.getAllByRole("listitem")[0]?.textContent).toContain("Grúa");
    expect(preview.getByText("1 machine is left out; its reason is below.")).toBeTruthy();
    expect(preview.getByText("1 chosen machine is no longer in your equipment.")).toBeTruthy();
  });

  it("take changes of someone else, keep what was typed, and are saved on the next try", async () => {
    const { calls, state } = await open([excavators()]);
    const menu = await screen.findByRole("button", { name: "Actions for Excavators" });
    fireEvent.keyDown(menu, { key: "Enter" });
    fireEvent.click(await screen.findByRole("menuitem", { name: "Edit" }));
    const editor = await dialog("Edit task set");
    fireEvent.change(editor.getByLabelText("Name"), { target: { value: "Diggers" } });
    state.refuse = refusal(Code.Aborted, "STALE");
    state.sets = [
      excavators({
        revision: 5n,
        items: excavators().items.map((item) =>
          item.id === "i1" ? { ...item, usageInterval: 200 } : item,
        ),
      }),
    ];
    fireEvent.click(editor.getByRole("button", { name: "Save task set" }));
    expect(await editor.findByText("Oil: every 250 hours → every 200 hours")).toBeTruthy();
    expect(editor.getByLabelText("Name")).toHaveProperty("value", "Diggers");
    expect(editor.getAllByLabelText(/Usage interval/)[0]).toHaveProperty("value", "200");
    state.refuse = null;
    fireEvent.click(editor.getByRole("button", { name: "Save task set" }));
    await waitFor(() => expect(calls.length).toBeGreaterThan(0));
    expect(calls[0]).toMatchObject({
      name: "Diggers",
      items: [{ id: "i1", usageInterval: 200 }, { id: "i2" }],
    });
  });

  it("show the new version when someone else changes the set before it is applied", async () => {
    const { calls, state } = await open(
      [excavators({ outdatedMachines: 1 })],
      [result("e1", "Crane", { changes: [added] })],
    );
    await press("See changes");
    const preview = await dialog("Changes from “Excavators”");
    await preview.findByText("Oil: added, every 250 hours");
    state.refuse = refusal(Code.Aborted, "STALE");
    state.sets = [excavators({ revision: 5n })];
    const release = Promise.withResolvers<void>();
    state.gate = release.promise;
    fireEvent.click(preview.getByRole("button", { name: "Use on 1 machine" }));
    await preview.findByText(/The list shows what its new version changes/);
    state.refuse = null;
    const apply = preview.getByRole("button", { name: "Use on 1 machine" });
    expect(apply.getAttribute("aria-disabled")).toBe("true");
    fireEvent.click(apply);
    release.resolve();
    await waitFor(() => expect(apply.hasAttribute("aria-disabled")).toBe(false));
    expect(calls.filter((call) => Array.isArray(call) && call[0] === "apply")).toHaveLength(1);
    fireEvent.click(apply);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(calls.findLast((call) => Array.isArray(call) && call[0] === "apply")).toEqual([
      "apply",
      ["e1"],
      TaskSetMode.UPDATE,
      5n,
    ]);
  });

  it("are not applied while what they change is unknown", async () => {
    const { calls, state } = await open(
      [excavators({ outdatedMachines: 1 })],
      [result("e1", "Crane", { changes: [added] })],
    );
    await press("See changes");
    const preview = await dialog("Changes from “Excavators”");
    await preview.findByText("Oil: added, every 250 hours");
    state.refuse = refusal(Code.Aborted, "STALE");
    const failed = Promise.reject<void>(new ConnectError("Overloaded", Code.Unavailable));
    failed.catch(() => undefined);
    state.gate = failed;
    const apply = preview.getByRole("button", { name: "Use on 1 machine" });
    fireEvent.click(apply);
    await preview.findByText("The changes could not be loaded", { selector: "[role=alert] *" });
    expect(apply.getAttribute("aria-disabled")).toBe("true");
    fireEvent.click(apply);
    const applied = calls.filter((call) => Array.isArray(call) && call[0] === "apply");
    expect(applied).toHaveLength(1);
  });

  it("check the tasks, and keep typed values after a refusal", async () => {
    const { state } = await open([excavators()]);
    await press("New task set");
    const editor = await dialog("New task set");
    const type = (label: string, value: string) =>
      fireEvent.change(editor.getByLabelText(label, { selector: "input" }), { target: { value } });
    type("Name", "Loaders");
    type("Task 1", "Oil");
    fireEvent.click(editor.getByRole("button", { name: "Add task" }));
    type("Task 2", " oil ");
    fireEvent.click(editor.getByRole("button", { name: "Save task set" }));
    await editor.findByText("Another task of this set has this name");
    expect(editor.getAllByText(/usage interval, a calendar interval or both/i)).toHaveLength(2);
    fireEvent.click(editor.getByRole("button", { name: "Remove task 2" }));
    fireEvent.change(editor.getByLabelText(/Usage interval/), { target: { value: "100" } });
    state.refuse = new ConnectError("Another task set has this name.", Code.AlreadyExists);
    fireEvent.click(editor.getByRole("button", { name: "Save task set" }));
    await editor.findByText("Another task set has this name.");
    expect(editor.getByLabelText("Name")).toHaveProperty("value", "Loaders");
  });

  it("unfold the options of a task that has some, and show the server's error there", async () => {
    const { state } = await open([
      excavators({
        items: excavators().items.map((item) =>
          item.id === "i2" ? { ...item, basis: TaskBasis.ON_THE_MARK } : item,
        ),
      }),
    ]);
    const menu = await screen.findByRole("button", { name: "Actions for Excavators" });
    fireEvent.keyDown(menu, { key: "Enter" });
    fireEvent.click(await screen.findByRole("menuitem", { name: "Edit" }));
    const editor = await dialog("Edit task set");
    const unfolded = () =>
      editor.getAllByText("More options").map((each) => each.closest("details")?.open);
    expect(unfolded()).toEqual([false, true]);
    fireEvent.click(editor.getByRole("button", { name: "Add task" }));
    fireEvent.click(editor.getByRole("button", { name: "Remove task 1" }));
    expect(unfolded()).toEqual([true, false]);
    fireEvent.click(editor.getByRole("button", { name: "Remove task 1" }));
    fireEvent.change(editor.getByLabelText("Task 1", { selector: "input" }), {
      target: { value: "Oil" },
    });
    fireEvent.change(editor.getByLabelText(/Usage interval/), { target: { value: "100" } });
    state.refuse = fieldRefusal("items[0].warningUsage", "Too large.");
    fireEvent.click(editor.getByRole("button", { name: "Save task set" }));
    await editor.findByText("Too large.");
    expect(unfolded()).toEqual([true]);
  });

  it("are deleted after a confirmation", async () => {
    const { calls } = await open([excavators()]);
    const menu = await screen.findByRole("button", { name: "Actions for Excavators" });
    fireEvent.keyDown(menu, { key: "Enter" });
    fireEvent.click(await screen.findByRole("menuitem", { name: "Delete task set" }));
    const confirm = await openDialog(undefined, "alertdialog");
    fireEvent.click(confirm.getByRole("button", { name: "Delete task set" }));
    await waitFor(() => expect(calls).toEqual([["delete", "s1"]]));
  });
});
