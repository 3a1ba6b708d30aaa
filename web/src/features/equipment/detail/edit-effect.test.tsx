import { fireEvent, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { CalendarUnit, HistoryKind } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fieldRefusal } from "#/test/refusal";
import { openDialog } from "#/test/open-dialog";
import { day, excavator, openDetail, record, world, type World } from "./detail.fixture";

const read = (on: string, usage: number) =>
  record({ id: on, reading: usage, usage, usageBefore: usage, capturedAt: day(on) });
const service = (more: Parameters<typeof record>[0] = {}) =>
  record({
    id: "service",
    kind: HistoryKind.SERVICE,
    performedOn: "2026-11-17",
    usage: 4790,
    usageBefore: 4790,
    ...more,
  });
const readings = () => [
  read("2026-11-19", 4812.5),
  read("2026-11-17", 4790),
  read("2026-11-14", 4750),
];
const regular = {
  id: "t0",
  fromForm: true,
  usageInterval: 250,
  lastDoneUsage: 4790,
  lastDoneOn: "2026-11-17",
  nextDueUsage: 5040,
};

async function edit(state: World, on: string) {
  await openDetail(state, "?tab=history&kind=service");
  fireEvent.click(await screen.findByRole("button", { name: /^Edit Service, / }));
  const dialog = await openDialog("Edit this service");
  await dialog.findByText(/Last known|no reading/);
  fireEvent.change(dialog.getByLabelText("Date of service"), { target: { value: on } });
  return dialog;
}

describe("the new day of a service", () => {
  it("names the meter that counts there, and what becomes of the next service", async () => {
    const state = world({ records: [service(), ...readings()], tasks: [regular] });
    const dialog = await edit(state, "2026-11-17");
    const meter = dialog.getByRole("status", { name: "Meter on that day" });
    const due = dialog.getByRole("status", { name: "Next services" });
    expect(meter.textContent).toBe("4,790 hours");
    expect(due.textContent).toBe("");
    fireEvent.change(dialog.getByLabelText("Date of service"), { target: { value: "2026-11-15" } });
    expect(meter.textContent).toBe("4,790 → 4,750 hours");
    expect(
      dialog.getByText(
        "Last known: 4,750 hours on Nov 14, 2026. Next reading: 4,790 hours on Nov 17, 2026.",
      ),
    ).toBeTruthy();
    expect(due.textContent).toBe("Regular serviceNext due: 5,040 → 5,000 hours");
  });

  it("does not move the other tasks of the same service", async () => {
    const grease = service({ id: "grease", taskName: "Grease" });
    await openDetail(world({ records: [grease, service()] }), "?tab=history");
    fireEvent.click(await screen.findByRole("button", { name: "2 tasks" }));
    fireEvent.click(screen.getByRole("button", { name: /^Edit Service: Grease, / }));
    const dialog = await openDialog("Edit this service");
    expect(dialog.queryByText(/stays on/)).toBeNull();
    fireEvent.change(dialog.getByLabelText("Date of service"), { target: { value: "2026-11-15" } });
    expect(dialog.getByText("The other task of this service stays on Nov 17, 2026.")).toBeTruthy();
  });

  it("leaves a meter that was recorded with the service", async () => {
    const typed = service({ reading: 4785, taskName: "Oil" });
    const oil = {
      ...regular,
      name: "Oil",
      fromForm: false,
      lastDoneUsage: 4785,
      nextDueUsage: 5035,
      calendarInterval: 6,
      calendarUnit: CalendarUnit.MONTHS,
      nextDueDate: "2027-05-17",
    };
    const state = world({ records: [typed, ...readings()], tasks: [regular, oil] });
    const dialog = await edit(state, "2026-11-15");
    expect(dialog.getByRole("status", { name: "Meter on that day" }).textContent).toBe(
      "4,785 hours",
    );
    expect(dialog.getByText(/^Recorded with the service; it does not change\. Last/)).toBeTruthy();
    expect(dialog.getByRole("status", { name: "Next services" }).textContent).toBe(
      "OilNext due: 5,035 hours · May 17, 2027 → May 15, 2027",
    );
  });

  it("says if no meter is known, and then not when the next service is due", async () => {
    const state = world({ records: [service(), ...readings()], tasks: [regular] });
    const dialog = await edit(state, "2026-11-01");
    expect(dialog.getByRole("status", { name: "Meter on that day" }).textContent).toBe("–");
    expect(dialog.getByText(/There is no reading up to that day/)).toBeTruthy();
    expect(dialog.getByRole("status", { name: "Next services" }).textContent).toBe("");
  });

  it("has life-to-date usage after an earlier meter", async () => {
    const equipment = excavator({ currentUsage: 4812.5, meterReading: 12.5 });
    const records = [
      service({ usage: 4805, usageBefore: 4805 }),
      { ...read("2026-11-16", 4805), reading: 5 },
      { ...read("2026-11-15", 4802), reading: 2 },
    ];
    const tasks = [{ ...regular, lastDoneUsage: 4805, nextDueUsage: 5055 }];
    const dialog = await edit(world({ equipment, records, tasks }), "2026-11-15");
    expect(dialog.getByRole("status", { name: "Meter on that day" }).textContent).toBe(
      "4,805 → 4,802 hours life-to-date",
    );
    expect(dialog.getByRole("status", { name: "Next services" }).textContent).toBe(
      "Regular serviceNext due: 255 → 252 hours",
    );
  });
});

describe("a meter that does not fit the new day", () => {
  it.each([
    ["4790", "4,790 hours (Nov 17, 2026)"],
    ["4795", "4,795 hours"],
  ])("is explained once, at the day, with unit and known date: %s", async (next, shown) => {
    const typed = service({ reading: 4812, performedOn: "2026-11-18" });
    const state = world({ records: [typed, ...readings()], tasks: [regular] });
    const dialog = await edit(state, "2026-11-15");
    const server = `The meter was read at ${next} after this.`;
    state.refusal = fieldRefusal("performedAt", server, "READING_ABOVE_NEXT", { next });
    fireEvent.click(dialog.getByRole("button", { name: "Save" }));
    const text = `The next reading, ${shown}, is below the one of this service: 4,812 hours.`;
    expect(await dialog.findAllByText(text)).toHaveLength(1);
    expect(dialog.getByLabelText("Date of service")).toHaveProperty("ariaInvalid", "true");
    expect(dialog.getByText(/^Choose a later day, or void the service/)).toBeTruthy();
    expect(dialog.queryByText(server)).toBeNull();
    expect(dialog.queryByRole("alert")).toBeNull();
  });
});
