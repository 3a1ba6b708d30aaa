import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import {
  HistoryKind,
  CalendarUnit,
  MeterUnit,
  ServiceStatus,
  TaskBasis,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentToast } from "#/shared/toast/store";
import { fieldRefusal, refusal } from "#/test/refusal";
import { openDialog } from "#/test/open-dialog";
import { day, excavator, id, openDetail, record, world, type World } from "./detail.fixture";

const press = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));
const dialog = () => openDialog();
const submit = async (name: string) =>
  fireEvent.click((await dialog()).getByRole("button", { name }));
const type = async (label: string | RegExp, value: string) =>
  fireEvent.change((await dialog()).getByLabelText(label), {
    target: { value },
  });

/** Someone else reads the meter after the dialog was opened. */
function readMeanwhile(state: World) {
  state.equipment = excavator({ currentUsage: 4820.5 });
  state.refusal = refusal(Code.Aborted, "STALE");
}

describe("Update Usage", () => {
  const open = async (state: World) => {
    await openDetail(state);
    await press("Update Usage");
    await dialog();
  };

  it("shows what came meanwhile, keeps what was typed, and adds to the new meter", async () => {
    const state = world();
    await open(state);
    await type("Usage increase", "8");
    readMeanwhile(state);
    await submit("Update Usage");
    const notice = await (await dialog()).findByText(/it showed 4,812.5 hours and now shows/);
    expect(notice.textContent).toContain("4,820.5 hours");
    expect((await dialog()).getByText("4,828.5 hours")).toBeTruthy();
    expect((await dialog()).getByLabelText("Usage increase")).toHaveProperty("value", "8");
    expect(currentToast()).toBeNull();
    state.refusal = null;
    await submit("Update Usage");
    await waitFor(() => expect(currentToast()?.title).toBe("Usage Updated"));
    expect(state.calls).toMatchObject([
      ["usage", { usageIncrease: 8, expectedReading: 4812.5 }],
      ["usage", { usageIncrease: 8, expectedReading: 4820.5 }],
    ]);
  });

  it("shows the new meter before the machine is loaded again", async () => {
    const state = world();
    await open(state);
    await type("Usage increase", "8");
    state.equipment = excavator({ currentUsage: 4820.5 });
    state.loaded = new Promise(() => undefined);
    await submit("Update Usage");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await press("Update Usage");
    await type("Usage increase", "1");
    expect((await dialog()).getByText("4,821.5 hours")).toBeTruthy();
  });

  it("takes a reading with its time instead of an increase", async () => {
    const state = world();
    await open(state);
    fireEvent.click((await dialog()).getByRole("radio", { name: "Enter a reading" }));
    await type("Meter reading", "4,900");
    await type(/^When it was read/, "2026-01-05T07:30");
    await submit("Update Usage");
    await waitFor(() => expect(currentToast()?.title).toBe("Usage Updated"));
    expect(state.calls).toMatchObject([["usage", { reading: 4900, expectedReading: 4812.5 }]]);
    expect(state.calls[0]?.[1]).toHaveProperty("capturedAt.seconds");
    expect(state.calls[0]?.[1]).not.toHaveProperty("usageIncrease");
  });

  it("says that a reading before the last one changes only the history", async () => {
    const state = world({
      equipment: excavator({ meterReadAt: day("2026-01-10") }),
    });
    await open(state);
    fireEvent.click((await dialog()).getByRole("radio", { name: "Enter a reading" }));
    await type("Meter reading", "4,700");
    expect((await dialog()).getByText("4,700 hours")).toBeTruthy();
    await type(/^When it was read/, "2026-01-05T07:30");
    const note = await screen.findByText(
      "The meter stays, because it was read later. The next service can move if a later service was entered without its meter.",
    );
    expect(note.closest("dd")?.textContent).toContain("4,812.5 hours");
    await submit("Update Usage");
    await waitFor(() =>
      expect(currentToast()?.description).toBe(
        "Recorded at its time. Excavator stays at 4,812.5 hours, which was read later.",
      ),
    );
  });

  it("adds what came since to a reading of an earlier moment", async () => {
    const added = {
      usage: 4812.5,
      usageBefore: 4800,
      capturedAt: day("2026-01-08"),
    };
    const before = {
      id: "r2",
      usage: 4800,
      usageBefore: 4700,
      capturedAt: day("2026-01-03"),
    };
    const records = [record(added), record(before)];
    await open(
      world({
        records,
        equipment: excavator({ meterReadAt: day("2026-01-01") }),
      }),
    );
    fireEvent.click((await dialog()).getByRole("radio", { name: "Enter a reading" }));
    await type("Meter reading", "4,801");
    await type(/^When it was read/, "2026-01-05T07:30");
    expect(await (await dialog()).findByText("4,813.5 hours")).toBeTruthy();
  });

  it("asks for the reading first and says why if the meter was never read", async () => {
    const state = world({ equipment: excavator({ currentUsage: 0 }) });
    await open(state);
    const shown = await dialog();
    expect(shown.getByText("Never read")).toBeTruthy();
    expect(shown.getByText(/This meter was never read. Enter what it shows/)).toBeTruthy();
    expect(shown.queryByLabelText("Usage increase")).toBeNull();
    await type("Meter reading", "4812");
    await submit("Update Usage");
    await waitFor(() => expect(state.calls).toMatchObject([["usage", { reading: 4812 }]]));
  });

  it("questions a reading as the operators' form does, and offers what was likely meant", async () => {
    const state = world({
      equipment: excavator({ meterReadAt: day("2026-01-10") }),
    });
    await open(state);
    fireEvent.click((await dialog()).getByRole("radio", { name: "Enter a reading" }));
    await type("Meter reading", "48,130");
    await submit("Update Usage");
    await screen.findByRole("dialog", { name: "Much more than usual" });
    expect(state.calls).toEqual([]);
    fireEvent.click(screen.getByRole("button", { name: "Go back" }));
    await submit("Update Usage");
    fireEvent.click(await screen.findByRole("button", { name: /^Save 4,813\sh/ }));
    await waitFor(() => expect(state.calls).toMatchObject([["usage", { reading: 4813 }]]));
  });

  it("asks about the other value before one corrected value is saved", async () => {
    const state = world({
      equipment: excavator({ meterReadAt: day("2026-01-10"), usualFill: 20 }),
    });
    await open(state);
    fireEvent.click((await dialog()).getByRole("radio", { name: "Enter a reading" }));
    await type("Meter reading", "48,130");
    await type(/^Fuel added/, "1700");
    await submit("Update Usage");
    fireEvent.click(await screen.findByRole("button", { name: /^Use 4,813\sh/ }));
    fireEvent.click(await screen.findByRole("button", { name: /^Save 17(\.0)? gal/ }));
    await waitFor(() =>
      expect(state.calls).toMatchObject([["usage", { reading: 4813, fuelAdded: 17 }]]),
    );
  });

  it("saves an unusual increase as it is after a question", async () => {
    const state = world({
      equipment: excavator({ meterReadAt: day("2026-01-10") }),
    });
    await open(state);
    await type("Usage increase", "41000");
    await submit("Update Usage");
    fireEvent.click(await screen.findByRole("button", { name: "Save as is" }));
    await waitFor(() => expect(state.calls).toMatchObject([["usage", { usageIncrease: 41000 }]]));
  });

  it("shows the server's error of a value saved as it is until the field is changed", async () => {
    const state = world({
      equipment: excavator({ meterReadAt: day("2026-01-10") }),
      refusal: fieldRefusal("usageIncrease", "Must be at most 5."),
    });
    await open(state);
    await type("Usage increase", "41000");
    await submit("Update Usage");
    fireEvent.click(await screen.findByRole("button", { name: "Save as is" }));
    const invalid = async () =>
      (await dialog()).getByLabelText("Usage increase").getAttribute("aria-invalid");
    await waitFor(async () => expect(await invalid()).toBe("true"));
    await type("Usage increase", "7");
    await waitFor(async () => expect(await invalid()).not.toBe("true"));
  });

  it("offers an increase that is what the meter shows as the reading", async () => {
    const lately = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
    const state = world({ equipment: excavator({ meterReadAt: day(lately) }) });
    await open(state);
    await type("Usage increase", "4,820");
    await submit("Update Usage");
    fireEvent.click(await screen.findByRole("button", { name: /^Use 4,820\sh.* as the reading/ }));
    expect((await dialog()).getByLabelText("Meter reading")).toHaveProperty("value", "4820");
    expect(state.calls).toEqual([]);
    await submit("Update Usage");
    await waitFor(() => expect(state.calls).toMatchObject([["usage", { reading: 4820 }]]));
    expect(state.calls[0]?.[1]).not.toHaveProperty("usageIncrease");
  });

  it("offers a meter replacement instead of saving a reading below the meter", async () => {
    const state = world({
      equipment: excavator({ meterReadAt: day("2026-01-10") }),
    });
    await open(state);
    fireEvent.click((await dialog()).getByRole("radio", { name: "Enter a reading" }));
    await type("Meter reading", "12");
    await submit("Update Usage");
    await screen.findByRole("dialog", { name: "Lower than the last reading" });
    expect(screen.queryByRole("button", { name: "Save as is" })).toBeNull();
    expect(screen.getByRole("button", { name: "Replace the meter" })).toBeTruthy();
    fireEvent.click(screen.getByRole("link", { name: "Void it in the history" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(screen.getByRole("tab", { name: "History", selected: true })).toBeTruthy();
  });

  it("asks about fuel that the machine does not use", async () => {
    await open(world());
    await type(/^Fuel added/, "20");
    expect(screen.queryByText(/Is it really/)).toBeNull();
    await type("Fuel type", "gas");
    expect(await screen.findByText("Excavator runs on diesel. Is it really gas?")).toBeTruthy();
  });
});

it("has no usage in the fuel form of a machine without a meter", async () => {
  const state = world({
    equipment: excavator({ unit: MeterUnit.NOT_APPLICABLE, meterReading: 0 }),
  });
  await openDetail(state);
  await screen.findByRole("button", { name: "Mark as Serviced" });
  expect(screen.queryByRole("button", { name: "Update Usage" })).toBeNull();
  await press("Add fuel");
  expect((await dialog()).queryByText("Current reading")).toBeNull();
  expect((await dialog()).queryByLabelText(/^Usage increase/)).toBeNull();
  await type(/^Fuel added/, "12");
  await submit("Add fuel");
  await waitFor(() => expect(state.calls).toMatchObject([["usage", { fuelAdded: 12 }]]));
  expect(currentToast()).toMatchObject({ title: "Fuel Added", description: "Excavator" });
});

describe("Mark as Serviced", () => {
  const tasks = [
    {
      id: "t0",
      fromForm: true,
      usageInterval: 250,
      status: ServiceStatus.APPROACHING_SERVICE,
    },
    {
      id: "t1",
      name: "Oil",
      usageInterval: 100,
      status: ServiceStatus.OVERDUE,
    },
    {
      id: "t2",
      name: "Belts",
      usageInterval: 500,
      status: ServiceStatus.TIME_FOR_SERVICE,
    },
  ];
  const open = async (state: World) => {
    await openDetail(state);
    await press("Mark as Serviced");
    await dialog();
  };

  it("ticks all due tasks, and sends the chosen ones without an untouched meter", async () => {
    const state = world({ tasks });
    await open(state);
    const box = async (name: RegExp) => (await dialog()).findByRole("checkbox", { name });
    expect(await box(/^Regular service/)).toHaveProperty("checked", false);
    expect(await box(/^Oil/)).toHaveProperty("checked", true);
    expect(await box(/^Belts/)).toHaveProperty("checked", true);
    fireEvent.click(await box(/^Belts/));
    await submit("Mark as Serviced");
    await waitFor(() => expect(currentToast()?.title).toBe("Service Reset"));
    expect(state.calls).toMatchObject([
      ["serviced", { id, taskIds: ["t1"], expectedReading: 4812.5 }],
    ]);
    expect(state.calls[0]?.[1]).not.toHaveProperty("meter");
  });

  it("says when each chosen task is due next, by the meter and the day that are typed", async () => {
    const inspection = {
      id: "t3",
      name: "Inspection",
      calendarInterval: 6,
      calendarUnit: CalendarUnit.MONTHS,
      status: ServiceStatus.OVERDUE,
    };
    const basis = TaskBasis.ON_THE_MARK;
    const ruled = tasks.map((task) => (task.name === "Belts" ? { ...task, basis } : task));
    await open(world({ tasks: [...ruled, inspection] }));
    const next = async () =>
      [...(await (await dialog()).findByRole("status", { name: "Next services" })).children].map(
        ({ textContent }) => textContent,
      );
    const [oil, belts] = await next();
    expect([oil, belts]).toEqual(["OilNext due: 4,912.5 hours", "BeltsNext due: 5,500 hours"]);
    await type(/^Meter on that day/, "4700");
    await type(/^Date of service/, "2026-08-31");
    expect(await next()).toEqual([
      "OilNext due: 4,800 hours",
      "BeltsNext due: 5,000 hours",
      "InspectionNext due: Feb 28, 2027",
    ]);
  });

  it("counts a service from before an assumed start, and none from before the last service", async () => {
    const task = { ...tasks[1], lastDoneOn: "2026-11-20", nextDueUsage: 4900 };
    const assumed = { ...task, id: "t4", name: "Assumed" };
    const serviced = { ...task, id: "t5", name: "Serviced", lastServicedOn: "2026-11-20" };
    await open(world({ tasks: [assumed, serviced] }));
    await type(/^Meter on that day/, "4700");
    await type(/^Date of service/, "2026-11-10");
    const next = await (await dialog()).findByRole("status", { name: "Next services" });
    expect([...next.children].map(({ textContent }) => textContent)).toEqual([
      "AssumedNext due: 4,800 hours",
      "ServicedNext due: 4,900 hours",
    ]);
  });

  it("counts from the first reading if the service was before it and its meter is unknown", async () => {
    const marks = { ...tasks[1], id: "t4", name: "Marks", basis: TaskBasis.ON_THE_MARK };
    const given = { ...tasks[1], id: "t5", name: "Given", firstDueUsage: 6000 };
    const state = world({
      tasks: [tasks[1] ?? {}, marks, given],
      records: [record({ usage: 4830, capturedAt: day("2026-11-25") })],
      equipment: excavator({ currentUsage: 4812.5 }),
      firstReading: { usage: 4812.5, at: day("2026-11-20") },
    });
    await open(state);
    await type(/^Date of service/, "2026-11-20");
    expect(screen.queryByText(/counts from the first reading/)).toBeNull();
    await type(/^Date of service/, "2026-11-10");
    const shown = await screen.findByText(/counts from the first reading/);
    expect(shown.textContent).toBe(
      "There is no reading up to that day. If left blank, the next service counts from the first reading: 4,812.5 hours on Nov 20, 2026.",
    );
    const next = await (await dialog()).findByRole("status", { name: "Next services" });
    const texts = () => [...next.children].map(({ textContent }) => textContent);
    expect(texts()).toEqual(["OilNext due: 4,912.5 hours", "MarksNext due: 4,900 hours"]);
    await type(/^Meter on that day/, "4700");
    expect(texts()[0]).toContain("4,800 hours");
  });

  it("asks about a meter that the machine can't have reached since its last reading", async () => {
    const state = world({ tasks, equipment: excavator({ meterReadAt: day("2026-01-10") }) });
    await open(state);
    await type(/^Meter on that day/, "99999");
    await submit("Mark as Serviced");
    const question = await screen.findByRole("alertdialog", {
      name: "Did the meter show 99,999 hours?",
    });
    expect(question.textContent).toContain("It showed 4,812.5 hours on Jan 10, 2026.");
    fireEvent.click(within(question).getByRole("button", { name: "Correct it" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(state.calls).toEqual([]);
    const field = (await dialog()).getByLabelText(/^Meter on that day/);
    expect(field).toHaveProperty("value", "99999");
    expect(document.activeElement).toBe(field);
    await submit("Mark as Serviced");
    fireEvent.click(await screen.findByRole("button", { name: "Save it as typed" }));
    await waitFor(() => expect(state.calls).toMatchObject([["serviced", { meter: 99_999 }]]));
  });

  it("is refused at the field, without a question, above the next reading", async () => {
    const records = [record({ usage: 4700, capturedAt: day("2026-01-10") })];
    const state = world({ tasks, records });
    await open(state);
    await type(/^Date of service/, "2026-01-07");
    await (await dialog()).findByText(/Next reading: 4,700 hours on Jan 10, 2026/);
    await type(/^Meter on that day/, "4705");
    await submit("Mark as Serviced");
    expect(
      await (await dialog()).findByText("It showed only 4,700 hours on Jan 10, 2026."),
    ).toBeTruthy();
    expect(screen.queryByRole("alertdialog")).toBeNull();
    expect(state.calls).toEqual([]);
    state.refusal = fieldRefusal("meter", "Too high.");
    await type(/^Meter on that day/, "4690");
    await submit("Mark as Serviced");
    expect(await (await dialog()).findAllByText("Too high.")).not.toEqual([]);
    expect(currentToast()).toBeNull();
  });

  it("refuses a half-typed or removed day instead of taking today", async () => {
    const state = world({ tasks });
    await open(state);
    const field = (await dialog()).getByLabelText<HTMLInputElement>(/^Date of service/);
    fireEvent.change(field, { target: { value: "" } });
    const half = new Proxy(field.validity, { get: (_, name) => name === "badInput" });
    const validity = vi.spyOn(field, "validity", "get").mockReturnValue(half);
    fireEvent.blur(field);
    await submit("Mark as Serviced");
    const text = "Enter a complete date, on or after January 1, 1900";
    expect(await (await dialog()).findByText(text)).toBeTruthy();
    validity.mockRestore();
    fireEvent.keyUp(field);
    await submit("Mark as Serviced");
    expect(await (await dialog()).findByText(text)).toBeTruthy();
    expect(state.calls).toEqual([]);
    fireEvent.change(field, { target: { value: "2026-11-20" } });
    await submit("Mark as Serviced");
    await waitFor(() =>
      expect(state.calls).toMatchObject([["serviced", { performedAt: "2026-11-20" }]]),
    );
  });

  it("knows the reading of the machine's creation on a later day", async () => {
    await open(
      world({
        tasks,
        equipment: excavator({ currentUsage: 4812.5 }),
        firstReading: { usage: 4700, at: day("2026-11-10") },
        // A service without a reading of its own is no reading.
        records: [
          record({ kind: HistoryKind.SERVICE, usage: 4700, capturedAt: day("2026-11-12") }),
        ],
      }),
    );
    await type(/^Date of service/, "2026-11-15");
    expect(
      await (await dialog()).findByText("Last known: 4,700 hours on Nov 10, 2026."),
    ).toBeTruthy();
    expect((await dialog()).getByLabelText(/^Meter on that day/)).toHaveProperty("value", "4700");
  });

  it("does not claim to know the meter of a machine that was never read", async () => {
    await open(world({ tasks, equipment: excavator({ currentUsage: 0, meterReading: 0 }) }));
    const field = (await dialog()).getByLabelText(/^Meter on that day/);
    expect(field).toHaveProperty("value", "");
    expect((await dialog()).getByText("Leave blank if you do not know it.")).toBeTruthy();
  });

  it.each([
    { timeZone: undefined, capturedAt: day("2026-01-05") },
    // The day of a reading is the company's, as that of the service.
    {
      timeZone: "America/Denver",
      capturedAt: timestampFromDate(new Date("2026-01-06T03:00:00Z")),
    },
  ])("asks about a meter below the reading before its day, $timeZone", async (reading) => {
    const { timeZone, capturedAt } = reading;
    const state = world({
      tasks,
      timeZone,
      records: [record({ usage: 4700, capturedAt })],
      equipment: excavator({ meterReadAt: day("2026-01-10") }),
    });
    await open(state);
    await type(/^Date of service/, "2026-01-07");
    await (await dialog()).findByText(/Last known: 4,700 hours on Jan 5, 2026/);
    await type(/^Meter on that day/, "500");
    await submit("Mark as Serviced");
    const question = await screen.findByRole("alertdialog");
    expect(question.textContent).toContain("It already showed 4,700 hours on Jan 5, 2026.");
    expect(state.calls).toEqual([]);
  });

  it("needs at least one task", async () => {
    const state = world({ tasks });
    await open(state);
    for (const name of [/^Oil/, /^Belts/]) {
      fireEvent.click(await (await dialog()).findByRole("checkbox", { name }));
    }
    await submit("Mark as Serviced");
    expect(await screen.findByText("Choose at least one task.")).toBeTruthy();
    expect(state.calls).toEqual([]);
  });

  it("ticks the form's task if none is due, without a choice of one", async () => {
    const state = world({ tasks: tasks.slice(0, 1) });
    await open(state);
    await (await dialog()).findByLabelText(/^Meter on that day/);
    expect((await dialog()).queryByRole("checkbox")).toBeNull();
    await submit("Mark as Serviced");
    await waitFor(() => expect(state.calls).toMatchObject([["serviced", { taskIds: ["t0"] }]]));
  });

  it("shows what came meanwhile and keeps what was typed", async () => {
    const state = world({ tasks });
    await open(state);
    await (await dialog()).findByRole("checkbox", { name: /^Oil/ });
    await type(/^Cost/, "125.5");
    readMeanwhile(state);
    await submit("Mark as Serviced");
    expect(await screen.findByText(/it showed 4,812.5 hours and now shows/)).toBeTruthy();
    const shown = await dialog();
    expect(shown.getByLabelText(/^Meter on that day/)).toHaveProperty("value", "4820.5");
    expect(shown.getByLabelText(/^Cost/)).toHaveProperty("value", "125.5");
    // The notice has already said why.
    expect(currentToast()).toBeNull();
  });

  it("announces another refusal", async () => {
    const state = world({ tasks });
    await open(state);
    await (await dialog()).findByRole("checkbox", { name: /^Oil/ });
    state.refusal = refusal(Code.Unavailable, "DOWN");
    await submit("Mark as Serviced");
    await waitFor(() =>
      expect(currentToast()?.description).toBe(
        "Failed to reset service interval. Please try again.",
      ),
    );
  });
});
