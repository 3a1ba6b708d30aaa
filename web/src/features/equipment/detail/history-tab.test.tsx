import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  FuelKind,
  HistoryKind,
  HistoryOrder,
  NoteType,
  VoidingSchema,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentPrintJob, setPrintJob } from "#/shared/print/store";
import { currentToast } from "#/shared/toast/store";
import { refusal } from "#/test/refusal";
import { openDialog } from "#/test/open-dialog";
import { day, excavator, id, openDetail, record, world, type World } from "./detail.fixture";

const files: Array<{ name: string; text: string }> = [];
vi.mock("#/shared/csv/download", () => ({
  download: (name: string, text: string) => files.push({ name, text }),
}));

beforeEach(() => {
  setPrintJob(null);
  files.length = 0;
});

const open = (state: World, more = "") => openDetail(state, `?tab=history${more}`);
const ledger = () => screen.findByRole("list", { name: "History" });
const only = (records: HistoryRecord[]) => world({ records });

const mixed = () => [
  record({
    id: "usage",
    usageBefore: 4750,
    usage: 4812.5,
    fuelAdded: 12,
    fuelKind: FuelKind.DIESEL,
    content: "=squeaks",
    fromOperator: true,
    capturedAt: day("2026-11-19"),
  }),
  record({
    id: "service",
    kind: HistoryKind.SERVICE,
    taskName: "Oil filter",
    cost: 125.5,
    performedOn: "2026-11-17",
    content: "All good\nCost: $125.50\nPerformed on 2026-11-17",
    operatorName: "Ana Ruiz",
  }),
  record({ id: "note", kind: HistoryKind.NOTE, noteType: NoteType.NOTE, content: "Order teeth" }),
  record({
    id: "edit",
    kind: HistoryKind.EDIT,
    content: 'Service task "Oil" added: every 250 hours or 6 months',
  }),
];

describe("a record", () => {
  it("shows the meter, fuel, person, source and time of the reading, and when it was entered", async () => {
    await open(only(mixed()));
    const [usage, service] = within(await ledger()).getAllByRole("listitem");
    expect(usage?.textContent).toContain("4,750 → 4,812.5 hours (+62.5 h)");
    expect(usage?.textContent).toContain("12.0 gal diesel");
    expect(usage?.textContent).toContain(
      "Maria López · Operator · Nov 19, 2026, 12:00 PM · entered Nov 20, 2026, 12:00 PM",
    );
    expect(service?.textContent).toContain("Service: Oil filter");
    expect(service?.textContent).toContain(
      "Ana Ruiz · Office · Nov 17, 2026 · entered Nov 20, 2026, 12:00 PM",
    );
  });

  it("shows cost and day of a service once", async () => {
    await open(only(mixed()));
    const service = within(await ledger()).getAllByRole("listitem")[1];
    expect(service?.textContent?.match(/125\.50/g)).toHaveLength(1);
    expect(service?.textContent?.match(/Nov 17, 2026/g)).toHaveLength(1);
    expect(service?.textContent).toContain("All good");
  });

  it("has one meter, the service's own, and no time of reading", async () => {
    const service = record({
      kind: HistoryKind.SERVICE,
      usage: 794.2,
      usageBefore: 794.2,
      reading: 790,
      capturedAt: day("2026-11-18"),
      performedOn: "2026-11-17",
    });
    await open(only([service]));
    const [item] = within(await ledger()).getAllByRole("listitem");
    expect(item?.textContent).toContain("790 hours");
    expect(item?.textContent).toContain("Nov 17, 2026 · entered Nov 20");
    expect(item?.textContent).not.toMatch(/794|Meter at|Nov 18/);
  });

  it("names the regular service on a machine with several tasks", async () => {
    const service = { kind: HistoryKind.SERVICE, usage: 4790, usageBefore: 4790 };
    const records = [record({ ...service, id: "regular" }), record({ id: "usage", usage: 4780 })];
    await open(world({ equipment: excavator({ moreTasks: 1 }), records }));
    const [regular, usage] = within(await ledger()).getAllByRole("listitem");
    expect(regular?.textContent).toContain("Service: Regular service4,790 hours");
    expect(usage?.textContent).not.toContain("Regular");
    fireEvent.click(screen.getByRole("button", { name: /^Void Service, / }));
    const dialog = await openDialog();
    expect(dialog.getByText(/^Service: Regular service · 4,790 hours/)).toBeTruthy();
  });

  it("does not name the only service of a machine", async () => {
    await open(only([record({ kind: HistoryKind.SERVICE })]));
    expect((await ledger()).textContent).not.toContain("Regular");
  });

  it("says that a late reading did not change the meter", async () => {
    await open(only([record({ reading: 4771, fuelAdded: 20, fuelKind: FuelKind.GAS })]));
    expect(
      await screen.findByText("Reading 4,771 hours, reported too late to change the meter"),
    ).toBeTruthy();
  });
});

describe("a service of several tasks", () => {
  const tasks = () => [
    record({ id: "filter", kind: HistoryKind.SERVICE, taskName: "Filter" }),
    record({ id: "oil", kind: HistoryKind.SERVICE, taskName: "Oil", cost: 125.5 }),
  ];

  it("is one entry, whose tasks can be edited and voided", async () => {
    await open(only(tasks()));
    const [entry, ...others] = within(await ledger()).getAllByRole("listitem");
    expect(others).toEqual([]);
    expect(entry?.textContent).toContain("Service: Oil, Filter$125.50");
    fireEvent.click(screen.getByRole("button", { name: "2 tasks" }));
    expect(screen.getAllByRole("button", { name: /^Void Service: / })).toHaveLength(2);
    fireEvent.click(screen.getByRole("button", { name: /^Edit Service: Filter, / }));
    await openDialog("Edit this service");
  });

  it("says what becomes of the cost when one of its tasks is voided, and then shows the rest alone", async () => {
    // Voiding answers with this meter: a task leaves it as it is.
    await open(world({ equipment: excavator({ currentUsage: 4790 }), records: tasks() }));
    await ledger();
    fireEvent.click(screen.getByRole("button", { name: "2 tasks" }));
    fireEvent.click(screen.getByRole("button", { name: /^Void Service: Oil, / }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(
      dialog.getByText(
        "Its cost of $125.50 no longer counts. If that was for the whole service, edit another of its tasks to enter it there.",
      ),
    ).toBeTruthy();
    fireEvent.change(dialog.getByRole("textbox", { name: "Reason" }), { target: { value: "No" } });
    fireEvent.click(dialog.getByRole("button", { name: "Void entry" }));
    // The remaining task is an entry of its own.
    await waitFor(() =>
      expect(screen.getAllByRole("button", { name: /^Void Service/ })).toHaveLength(1),
    );
    expect(screen.queryByRole("list", { name: "Service tasks" })).toBeNull();
    expect(currentToast()).toMatchObject({ title: "Entry voided", description: "Excavator" });
  });

  it("is one line on paper", async () => {
    await open(only(tasks()));
    fireEvent.click(await screen.findByRole("button", { name: "Print" }));
    await waitFor(() => expect(currentPrintJob()?.rows).toHaveLength(1));
    expect(currentPrintJob()?.rows[0]?.[1]).toBe("Service: Oil, Filter");
  });
});

describe("the list", () => {
  it("shows different texts for no entries and no entries of this kind", async () => {
    await open(only([]));
    expect(await screen.findByText("No history yet")).toBeTruthy();
  });

  it("loads page by page, by the time when it happened", async () => {
    const orders: HistoryOrder[] = [];
    const many = Array.from({ length: 31 }, (_, index) =>
      record({ id: `r${index}`, usage: index + 1 }),
    );
    const state = only(many);
    state.onHistory = ({ order }) => orders.push(order);
    await open(state);
    expect(within(await ledger()).getAllByRole("listitem")).toHaveLength(30);
    fireEvent.click(screen.getByRole("button", { name: "Show older" }));
    expect(await screen.findByText("31 hours")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Show older" })).toBeNull();
    expect(orders).toEqual([HistoryOrder.CAPTURED, HistoryOrder.CAPTURED]);
  });
});

describe("editing a service", () => {
  const service = () =>
    record({
      id: "service",
      kind: HistoryKind.SERVICE,
      cost: 125.5,
      performedOn: "2026-11-17",
      notes: "All good",
      content: "All good\nCost: $125.50\nPerformed on 2026-11-17",
      replaces: "before",
    });

  async function ask(state: World) {
    await open(state);
    fireEvent.click(await screen.findByRole("button", { name: /^Edit Service, / }));
    return within(await screen.findByRole("dialog"));
  }

  it("is offered for services that count; the others say who edited what", async () => {
    const voiding = create(VoidingSchema, {
      by: "Ana Ruiz",
      reason: "Cost: $12.50 → $125.50; Notes: none → All good",
      at: day("2026-11-20"),
      replacedBy: "service",
    });
    await open(only([service(), { ...service(), id: "before", replaces: "", voiding }]));
    expect(await screen.findAllByRole("button", { name: /^Edit \w+, / })).toHaveLength(1);
    const [now, before] = within(await ledger()).getAllByRole("listitem");
    expect(now?.textContent).toContain("Edited");
    expect(before?.textContent).toContain(
      "Edited by Ana Ruiz on Nov 20, 2026:\nCost: $12.50 → $125.50\nService notes: none → All good",
    );
  });

  it("sends what is in the form", async () => {
    const state = only([service()]);
    const dialog = await ask(state);
    expect(dialog.getByDisplayValue("125.5")).toBeTruthy();
    fireEvent.change(dialog.getByLabelText("Date of service"), {
      target: { value: "" },
    });
    fireEvent.click(dialog.getByRole("button", { name: "Save" }));
    expect(await dialog.findByText("Please enter the date of the service.")).toBeTruthy();
    fireEvent.change(dialog.getByLabelText("Date of service"), {
      target: { value: "2026-11-16" },
    });
    fireEvent.change(dialog.getByLabelText(/^Cost/), { target: { value: "" } });
    fireEvent.change(dialog.getByLabelText(/^Service notes/), {
      target: { value: " Both " },
    });
    fireEvent.click(dialog.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Service edited"));
    expect(state.calls).toEqual([
      [
        "edit",
        {
          equipmentId: id,
          entryId: "service",
          performedAt: "2026-11-16",
          notes: "Both",
          clearCost: true,
        },
      ],
    ]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("says that someone else was faster", async () => {
    const stale = "Someone else has edited this service. Please reload it and try again.";
    const dialog = await ask({
      ...only([service()]),
      refusal: refusal(Code.Aborted, "STALE", stale),
    });
    fireEvent.click(dialog.getByRole("button", { name: "Save" }));
    expect(await dialog.findByText(stale)).toBeTruthy();
  });

  it("takes the version of someone else, keeps what was typed, and saves on the next try", async () => {
    const state = only([service()]);
    const dialog = await ask(state);
    fireEvent.change(dialog.getByLabelText(/^Service notes/), { target: { value: "Greased" } });
    const voiding = create(VoidingSchema, {
      by: "Ana Ruiz",
      reason: "Cost: $125.50 → $90.00",
      at: day("2026-11-20"),
      replacedBy: "newer",
    });
    state.records = [
      { ...service(), id: "newer", replaces: "service", cost: 90 },
      { ...service(), voiding },
    ];
    state.refusal = refusal(Code.Aborted, "STALE", "Reload it.");
    fireEvent.click(dialog.getByRole("button", { name: "Save" }));
    expect(
      await dialog.findByText(/Edited by Ana Ruiz on Nov 20, 2026:\s+Cost: \$125.50 → \$90.00/),
    ).toBeTruthy();
    expect(dialog.getByLabelText(/^Service notes/)).toHaveProperty("value", "Greased");
    expect(dialog.getByLabelText(/^Cost/)).toHaveProperty("value", "90");
    expect(dialog.queryByText("Reload it.")).toBeNull();
    state.refusal = null;
    fireEvent.click(dialog.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(state.calls.at(-1)).toMatchObject([
      "edit",
      { entryId: "newer", cost: 90, notes: "Greased", performedAt: "2026-11-17" },
    ]);
  });

  it("edits the version of someone else that is not in the loaded part of the list", async () => {
    const state = only([service()]);
    const dialog = await ask(state);
    const voiding = create(VoidingSchema, { by: "Ana Ruiz", replacedBy: "newer" });
    state.records = [{ ...service(), voiding }];
    state.refusal = refusal(Code.Aborted, "STALE");
    fireEvent.click(dialog.getByRole("button", { name: "Save" }));
    await dialog.findByText(/Someone else edited this service meanwhile/);
    state.refusal = null;
    fireEvent.click(dialog.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(state.calls.at(-1)).toMatchObject(["edit", { entryId: "newer" }]);
  });
});

describe("voiding", () => {
  async function ask(state: World, kind: RegExp) {
    await open(state);
    fireEvent.click(await screen.findByRole("button", { name: kind }));
    return openDialog();
  }

  it("is offered for usage, services and notes alone, and once", async () => {
    const voiding = { by: "Ana", reason: "x", at: day("2026-11-20") };
    const others = [
      record({ id: "v", voiding }),
      record({ id: "a", kind: HistoryKind.RETIREMENT }),
      record({ id: "b", kind: HistoryKind.RESTORATION }),
    ];
    await open(only([...mixed(), ...others]));
    await ledger();
    const names = screen
      .getAllByRole("button", { name: /^Void/ })
      .map((button) => button.getAttribute("aria-label")?.split(",")[0]);
    expect(names).toEqual(["Void Usage update", "Void Service", "Void Note"]);
  });

  it("names no figure if the meter was never read without the entry", async () => {
    const state = only(mixed());
    state.voided = excavator({ currentUsage: 0 });
    delete state.voided.meterReadAt;
    const dialog = await ask(state, /^Void Usage/);
    fireEvent.change(dialog.getByRole("textbox", { name: "Reason" }), { target: { value: "No" } });
    fireEvent.click(dialog.getByRole("button", { name: "Void entry" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Entry voided"));
    expect(currentToast()?.description).toBe("Excavator has no reading now.");
  });

  it("explains the effect, requires a reason, and sends it trimmed", async () => {
    const state = only(mixed());
    state.preview = { currentUsage: 4750, meterReading: 4750 };
    const dialog = await ask(state, /^Void Usage/);
    expect(await dialog.findByText("The meter goes back: 4,812.5 → 4,750 hours.")).toBeTruthy();
    // An operator's update is applied again under Review.
    expect(dialog.queryByLabelText("Then enter the right one")).toBeNull();
    fireEvent.click(dialog.getByRole("button", { name: "Void entry" }));
    expect(await dialog.findByText("Please give a reason.")).toBeTruthy();
    const reason = dialog.getByRole("textbox", { name: "Reason" });
    fireEvent.change(reason, { target: { value: " one digit too many " } });
    fireEvent.click(dialog.getByRole("button", { name: "Void entry" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Entry voided"));
    expect(currentToast()?.description).toBe("Excavator is now at 4,790 hours.");
    expect(state.calls).toEqual([
      ["void", { equipmentId: id, entryId: "usage", reason: "one digit too many" }],
    ]);
    expect(screen.queryByRole("dialog")).toBeNull();
    // The list and the header are read again.
    expect(
      await screen.findByText("Voided by Ana Ruiz on Nov 21, 2026: one digit too many"),
    ).toBeTruthy();
  });

  it("leads from an operator's voided update to where it can be applied again", async () => {
    const { router } = await open(only(mixed()));
    fireEvent.click(await screen.findByRole("button", { name: /^Void Usage/ }));
    const dialog = await openDialog();
    fireEvent.change(dialog.getByRole("textbox", { name: "Reason" }), { target: { value: "x" } });
    fireEvent.click(dialog.getByRole("button", { name: "Void entry" }));
    await waitFor(() => expect(currentToast()?.action?.label).toBe("Review"));
    act(() => currentToast()?.action?.run());
    await waitFor(() => expect(router.state.location.pathname).toBe("/review"));
    expect(router.state.location.search).toEqual({ tab: "decided", decision: "taken_back" });
  });

  it.each([
    ["back", 4800, "The meter goes back: 4,812.5 → 4,800 hours."],
    ["up", 48_125, "The meter goes up: 4,812.5 → 48,125 hours."],
  ])("says that the meter goes %s", async (_, reading, text) => {
    const state = only(mixed());
    state.preview = { currentUsage: reading, meterReading: reading };
    const dialog = await ask(state, /^Void Service/);
    expect(await dialog.findByText(text)).toBeTruthy();
    expect(dialog.getByText(/as if it had not been done/)).toBeTruthy();
    expect(dialog.queryByText(/fuel|Life-to-date/)).toBeNull();
  });

  it("names the services that move, and fuel", async () => {
    const state = only([record({ id: "w", usageBefore: 4800, usage: 4812.5, fuelAdded: 20 })]);
    const services = [
      { before: 4812.5, after: 4800 },
      { taskName: "Grease", before: 4810, after: 4800 },
    ];
    state.preview = { currentUsage: 4812.5, meterReading: 4812.5, services };
    const dialog = await ask(state, /^Void Usage/);
    const text = "Regular service: the last service moves, 4,812.5 → 4,800 hours.";
    expect(await dialog.findByText(text)).toBeTruthy();
    expect(dialog.getByText(/^Grease: the last service moves/)).toBeTruthy();
    expect(dialog.getByText(/Its fuel is removed from the totals/)).toBeTruthy();
    expect(dialog.queryByText(/The meter goes/)).toBeNull();
  });

  it("names both scales without a replaced meter", async () => {
    const meter = { id: "m", kind: HistoryKind.METER, usageBefore: 4812.5, usage: 4848.5 };
    const state = only([record({ ...meter, reading: 36 })]);
    state.preview = { currentUsage: 36, meterReading: 48 };
    const dialog = await ask(state, /^Void Meter/);
    expect(await dialog.findByText("The meter goes back: 4,812.5 → 48 hours.")).toBeTruthy();
    expect(dialog.getByText("Life-to-date 4,812.5 → 36 hours")).toBeTruthy();
    expect(dialog.getByText(/The previous meter is used again/)).toBeTruthy();
  });

  it("names no figure if the preview fails, and then asks for the right entry", async () => {
    const own = { id: "own", usageBefore: 4700, usage: 4790, capturedAt: day("2026-11-18") };
    const state = only([record(own)]);
    state.preview = null;
    const dialog = await ask(state, /^Void Usage/);
    expect(
      (await dialog.findByText(/The meter, now 4,812.5 hours, is recalculated/)).textContent,
    ).toMatch(/without it\. If a service was recorded above the recalculated meter/);
    fireEvent.change(dialog.getByRole("textbox", { name: "Reason" }), { target: { value: "x" } });
    fireEvent.click(dialog.getByLabelText("Then enter the right one"));
    fireEvent.click(await dialog.findByRole("button", { name: "Void and enter the right one" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Entry voided"));
    expect(currentToast()?.action).toBeUndefined();
    await screen.findByRole("dialog", { name: "Add meter reading" });
    const readAt = (await openDialog()).getByLabelText<HTMLInputElement>(/^When it was read/);
    expect(readAt.value).toBe("2026-11-18T12:00");
  });

  it.each([
    [/^Void Service/, /The service no longer counts/],
    [/^Void Note/, "The note stays readable, struck through."],
  ])("explains the effect on %s", async (kind, text) => {
    const dialog = await ask(only(mixed()), kind);
    expect(dialog.getByText(text)).toBeTruthy();
  });

  it.each([
    ["NOT_VOIDABLE", "Only usage, services, notes and replaced meters can be voided."],
    ["ALREADY_VOIDED", "Someone else has already voided this entry."],
    ["EQUIPMENT_RETIRED", "This equipment is retired. Restore it to void an entry."],
    ["SUBSCRIPTION_INACTIVE", /Your subscription is not active/],
  ])("keeps the reason and shows why it was refused: %s", async (code, text) => {
    const state = only(mixed());
    state.refusal = refusal(Code.FailedPrecondition, code);
    const dialog = await ask(state, /^Void Usage/);
    const reason = dialog.getByRole<HTMLTextAreaElement>("textbox", { name: "Reason" });
    fireEvent.change(reason, { target: { value: "wrong" } });
    fireEvent.click(dialog.getByRole("button", { name: "Void entry" }));
    expect(await dialog.findByText(text)).toBeTruthy();
    expect(screen.getAllByText(text)).toHaveLength(1);
    expect(reason.value).toBe("wrong");
    expect(currentToast()).toBeNull();
  });

  it("then shows who voided it, when, why, and the new meter", async () => {
    const voiding = {
      by: "Ana Ruiz",
      reason: "one digit too many",
      at: day("2026-11-20"),
      usageBefore: 48125,
      usageAfter: 4790,
    };
    await open(only([record({ usageBefore: 4790, usage: 48125, voiding })]));
    expect(
      await screen.findByText("Voided by Ana Ruiz on Nov 20, 2026: one digit too many"),
    ).toBeTruthy();
    expect(screen.getByText("Meter 48,125 → 4,790 hours")).toBeTruthy();
    expect(screen.getByText("Usage update").className).toContain("line-through");
    expect(screen.getByText("Voided")).toBeTruthy();
  });
});

describe("the export", () => {
  it("contains all filtered entries and neutralizes formulas", async () => {
    const many = Array.from({ length: 31 }, (_, index) => record({ id: `r${index}` }));
    const [first, ...rest] = mixed();
    if (first) first.group = "Crew North";
    await open(only([...(first ? [first] : []), ...rest, ...many]));
    await ledger();
    fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Export Complete"));
    const [file] = files;
    expect(file?.name).toMatch(new RegExp(`^equipment-history-${id}-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
    const lines = file?.text.split("\r\n") ?? [];
    expect(lines[0]).toBe(
      "\uFEFFDate,Equipment,Type,Note Type,Operator,Usage,Fuel Added (gal),Fuel Type,Content,Voided,Filled Up,Cost,Unit,Group,Correction",
    );
    expect(lines[1]).toBe(
      "2026-11-19 12:00,Excavator,Usage update,Usage update,Maria López,4812.5,12,Diesel,'=squeaks,,,,hours,Crew North,",
    );
    expect(lines[2]).toContain("Service,Maintenance,Ana Ruiz");
    expect(file?.text).toContain(
      '"Oil filter\nAll good\nCost: $125.50\nPerformed on Nov 17, 2026",,,125.5,',
    );
    expect(lines).toHaveLength(37);
  });

  it("names what each entry is, also without a text of its own", async () => {
    const kinds = [HistoryKind.METER, HistoryKind.EDIT, HistoryKind.RESTORATION];
    await open(only(kinds.map((kind, index) => record({ id: `r${index}`, kind }))));
    await ledger();
    fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(files).toHaveLength(1));
    const [, meter, edit, restored] = files[0]?.text.split("\r\n") ?? [];
    expect(meter).toContain(",Meter change,Usage update,");
    expect(edit).toContain(",Edited,Note,");
    expect(restored).toMatch(/,Restored,Note,.*,Equipment restored,/);
  });

  it("names the regular service on a machine with several tasks", async () => {
    const equipment = excavator({ moreTasks: 1 });
    await open(world({ equipment, records: [record({ kind: HistoryKind.SERVICE })] }));
    await ledger();
    fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(files[0]?.text).toContain(",Regular service,"));
  });

  it("has an operator's note of a replaced meter in the reader's language", async () => {
    await open(only([record({ content: "Medidor cambiado" })]));
    expect((await ledger()).textContent).toContain("Meter replaced");
    fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(files[0]?.text).toContain(",Meter replaced,"));
  });

  it("is refused if there are no entries", async () => {
    await open(only([]));
    await screen.findByText("No history yet");
    fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(currentToast()?.title).toBe("No Data to Export"));
    expect(files).toEqual([]);
  });

  it("shows why it failed", async () => {
    const state = only(mixed());
    await open(state);
    await ledger();
    Object.defineProperty(state, "records", {
      get: () => {
        throw new ConnectError("The disk is full.", Code.Internal);
      },
    });
    fireEvent.click(screen.getByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Export failed"));
    expect(currentToast()?.description).toBe("The disk is full.");
  });
});
