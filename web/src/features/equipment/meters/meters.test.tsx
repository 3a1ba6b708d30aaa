import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import {
  HistoryKind,
  MeterChange,
  MeterUnit,
  ServiceStatus,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { changeLanguage } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { refusal } from "#/test/refusal";
import { openDialog } from "#/test/open-dialog";
import { day, excavator, openDetail, record, world } from "../detail/detail.fixture";

const second = {
  currentUsage: 5204.5,
  meterReading: 12,
  usagePercent: 81.6,
  nextServiceDueUsage: 5250,
  remainingUsage: 45.5,
  lastServiceUsage: 5000,
  serviceStatus: ServiceStatus.APPROACHING_SERVICE,
};

const segments = [
  {
    number: 2,
    startedAt: day("2026-11-12"),
    startReading: 0,
    startUsage: 5192.5,
    endReading: 12,
    endUsage: 5204.5,
  },
  {
    number: 1,
    startedAt: day("2024-02-03"),
    startReading: 100,
    startUsage: 100,
    endedAt: day("2026-11-12"),
    endReading: 5192.5,
    endUsage: 5192.5,
    endedBy: MeterChange.REPLACED,
    endedByName: "Ana Ruiz",
  },
];

const ended = record({
  id: "m1",
  kind: HistoryKind.METER,
  usage: 5192.5,
  usageBefore: 5192.5,
  reading: 0,
  meterReplacement: { change: MeterChange.REPLACED, finalReading: 5192.5, startReading: 0 },
  content:
    "Meter replaced: the old one ended at 5192.5 hours, the new one began at 0 hours.\nGlass broken",
});

describe("a machine with its first meter", () => {
  it("shows nothing about meters except Replace meter", async () => {
    const [only] = segments.slice(-1);
    await openDetail(world({ segments: only ? [only] : [] }));
    expect(await screen.findByText("4,812.5 hours")).toBeTruthy();
    await screen.findByRole("heading", { name: "Usage trend" });
    expect(screen.queryByText(/life-to-date/i)).toBeNull();
    expect(screen.queryByRole("heading", { name: "Meters" })).toBeNull();
  });

  it("offers it only if there is a meter", async () => {
    await openDetail(world({ equipment: excavator({ unit: MeterUnit.NOT_APPLICABLE }) }));
    const trigger = await screen.findByRole("button", { name: "Actions for Excavator" });
    fireEvent.keyDown(trigger, { key: "Enter" });
    const menu = within(await screen.findByRole("menu"));
    expect(menu.getByRole("menuitem", { name: "Add note" })).toBeTruthy();
    expect(menu.queryByRole("menuitem", { name: "Replace meter" })).toBeNull();
  });
});

describe("a machine with its second meter", () => {
  it("shows the dial, the usage across all meters, and each meter", async () => {
    await openDetail(world({ equipment: excavator(second), segments }));
    expect(await screen.findByText("12 hours")).toBeTruthy();
    expect(await screen.findByText("Life-to-date 5,204.5 h (2 meters)")).toBeTruthy();
    expect(screen.getByText("45.5 hours until service")).toBeTruthy();
    expect(screen.getByText("57.5 hours")).toBeTruthy();
    expect(screen.getByText("5,000 hours life-to-date")).toBeTruthy();
    const list = await screen.findByRole("list", { name: "Meters" });
    const [inUse, first] = within(list).getAllByRole("listitem");
    expect(inUse?.textContent).toMatch(
      /Meter 2In usesince Nov 12, 2026.*0 → 12 h.*12 h.*5,204.5 h/,
    );
    expect(first?.textContent).toMatch(
      /Meter 1Feb 3, 2024 – Nov 12, 2026.*100 → 5,192.5 h.*5,092.5 h.*5,192.5 h/,
    );
    expect(first?.textContent).toContain("Replaced · Ana Ruiz");
  });

  it("has no meter in use after it was retired", async () => {
    await openDetail(world({ equipment: null, retired: true, segments }));
    const list = await screen.findByRole("list", { name: "Meters" });
    expect(within(list).getByText("Meter 2")).toBeTruthy();
    expect(within(list).queryByText("In use")).toBeNull();
    expect(within(list).getAllByText("Life-to-date at its end")).toHaveLength(2);
  });

  it("shows both scales even if they are equal", async () => {
    const same = { ...second, meterReading: second.currentUsage };
    await openDetail(world({ equipment: excavator(same), segments }));
    expect(await screen.findByText("Life-to-date 5,204.5 h (2 meters)")).toBeTruthy();
    expect(await screen.findByRole("list", { name: "Meters" })).toBeTruthy();
  });

  it("names a due point on the dial, or how far past it is if it was on an earlier meter", async () => {
    const due = { usagePercent: 101, serviceStatus: ServiceStatus.TIME_FOR_SERVICE };
    const state = world({
      equipment: excavator({ ...second, ...due, nextServiceDueUsage: 5202.5 }),
      segments,
    });
    await openDetail(state);
    expect(await screen.findByText("service due at 10 · 2 hours over")).toBeTruthy();
  });

  it("shows its history by life-to-date usage with the dial beside it, and filters meters", async () => {
    const records = [
      record({ id: "u2", usage: 5204.5, usageBefore: 5192.5, reading: 12 }),
      ended,
      record({ id: "u1", usage: 5192.5, usageBefore: 5100, reading: 5192.5 }),
    ];
    await openDetail(world({ equipment: excavator(second), segments, records }), "?tab=history");
    const list = await screen.findByRole("list", { name: "History" });
    expect(list.textContent).toContain("Meter at 12 hours");
    expect(list.textContent).toContain("5,192.5 → 5,204.5 hours life-to-date (+12 h)");
    fireEvent.click(await screen.findByRole("radio", { name: "Meters" }));
    await waitFor(() => expect(screen.queryByText("Meter at 12 hours")).toBeNull());
    const item = await screen.findByText("Meter replaced");
    const line = item.closest("li")?.textContent;
    expect(line).toContain("The old meter ended at 5,192.5 hours, the new one started at 0 hours.");
    expect(line).toContain("Glass broken");
  });

  it("reads in Spanish", async () => {
    await openDetail(
      world({ equipment: excavator(second), segments, records: [ended] }),
      "?tab=history",
    );
    await screen.findByText("Meter replaced");
    await changeLanguage("es");
    const line = (await screen.findByText("Medidor cambiado")).closest("li")?.textContent;
    expect(line).toContain(
      "El medidor anterior terminó en 5,192.5 horas y el nuevo empezó en 0 horas.",
    );
    expect(await screen.findByText("Uso acumulado: 5,204.5 h (2 medidores)")).toBeTruthy();
    await changeLanguage("en");
  });
});

describe("Replace meter", () => {
  const open = async (state = world()) => {
    const app = await openDetail(state, "?replace=meter");
    const dialog = await openDialog("Replace meter");
    return { ...app, dialog };
  };
  type Dialog = Awaited<ReturnType<typeof open>>["dialog"];
  const value = (dialog: Dialog, name: RegExp) =>
    dialog.getByLabelText<HTMLInputElement>(name).value;
  const type = (dialog: Dialog, name: RegExp, text: string) =>
    fireEvent.change(dialog.getByLabelText(name), { target: { value: text } });
  const send = (dialog: Dialog) =>
    fireEvent.click(dialog.getByRole("button", { name: "Replace meter" }));
  const preview = (dialog: Dialog) =>
    dialog.getByRole("region", { name: "After saving" }).textContent;
  const ahead = { ...second, currentUsage: 4812.5, meterReading: 4812.5 };

  it("starts with the meter's reading and previews the result while typing", async () => {
    const { dialog } = await open(world({ equipment: excavator(ahead) }));
    expect(value(dialog, /^Old meter's final reading/)).toBe("4812.5");
    expect(preview(dialog)).toContain("4,812.5 h, unchanged");
    expect(preview(dialog)).toContain("due at 437.5 h on the new meter");
    type(dialog, /^Old meter's final reading/, "4,820");
    type(dialog, /^Reading now/, "4.5");
    expect(preview(dialog)).toContain("4,824.5 h");
    expect(preview(dialog)).toContain("(+12 h)");
    expect(preview(dialog)).toContain("due at 430 h on the new meter (425.5 h to go)");
    type(dialog, /^Old meter's final reading/, "4,000");
    expect(preview(dialog)).not.toContain("4,824.5");
  });

  it("starts a rollover with the next power of ten, and rejects impossible values", async () => {
    const read = { meterReadAt: day("2026-11-20") };
    const { dialog } = await open(world({ equipment: excavator({ ...ahead, ...read }) }));
    fireEvent.click(dialog.getByRole("radio", { name: "Meter rolled over" }));
    expect(value(dialog, /^Rolled over at/)).toBe("10000");
    expect(dialog.queryByLabelText(/^New meter started at/)).toBeNull();
    expect(preview(dialog)).toMatch(/\+5,187.5 h since the reading of Nov 20, 2026/);
    type(dialog, /^Rolled over at/, "4813");
    expect(preview(dialog)).not.toContain("since the reading");
  });

  it("saves once, shows life-to-date usage, and closes", async () => {
    const state = world({ equipment: excavator(ahead) });
    const { dialog, router } = await open(state);
    type(dialog, /^Reading now/, "12");
    type(dialog, /^Notes/, " new glass ");
    send(dialog);
    send(dialog);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(state.calls.map(([name]) => name)).toEqual(["replaceMeter"]);
    expect(state.calls[0]?.[1]).toMatchObject({
      replacement: { change: MeterChange.REPLACED, finalReading: 4812.5, startReading: 0 },
      reading: 12,
      notes: "new glass",
      expectedReading: 4812.5,
    });
    expect(currentToast()).toMatchObject({ title: "Meter replaced" });
    expect(currentToast()?.description).toContain("12 hours; life-to-date 4,824.5 hours");
    expect(router.state.location.search).toEqual({});
  });

  it("shows the current meter if it was read in the meantime, and keeps typed values", async () => {
    const state = world({ equipment: excavator(ahead) });
    const { dialog } = await open(state);
    type(dialog, /^Reading now/, "12");
    state.equipment = excavator({ ...ahead, currentUsage: 4820, meterReading: 4820 });
    state.refusal = refusal(Code.Aborted, "STALE");
    send(dialog);
    expect((await dialog.findByRole("alert")).textContent).toMatch(
      /it showed 4,812.5 hours and now shows 4,820 hours/,
    );
    expect(value(dialog, /^Reading now/)).toBe("12");
    // The final reading was not typed, so it follows the meter.
    expect(value(dialog, /^Old meter's final reading/)).toBe("4820");
    state.refusal = null;
    send(dialog);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(state.calls.at(-1)?.[1]).toMatchObject({ expectedReading: 4820, reading: 12 });
  });

  it("checks a final reading that was typed against what the meter shows now", async () => {
    const state = world({ equipment: excavator(ahead) });
    const { dialog } = await open(state);
    type(dialog, /^Old meter's final reading/, "4815");
    state.equipment = excavator({ ...ahead, currentUsage: 4820, meterReading: 4820 });
    state.refusal = refusal(Code.Aborted, "STALE");
    send(dialog);
    expect(await dialog.findByText("Must not be below what the meter showed")).toBeTruthy();
    expect(value(dialog, /^Old meter's final reading/)).toBe("4815");
  });

  it("reuses the key after a lost response, and sends another one for other figures", async () => {
    const state = world({ equipment: excavator(ahead) });
    const keys: unknown[] = [];
    state.refusal = refusal(Code.Unavailable, "DOWN");
    state.onReplace = (key) => keys.push(key);
    const { dialog } = await open(state);
    send(dialog);
    await dialog.findByRole("alert");
    send(dialog);
    await waitFor(() => expect(keys).toHaveLength(2));
    expect(keys[1]).toBe(keys[0]);
    await waitFor(() => expect(dialog.queryByText("Saving…")).toBeNull());
    type(dialog, /^Reading now/, "3");
    send(dialog);
    await waitFor(() => expect(keys).toHaveLength(3));
    expect(keys[2]).not.toBe(keys[0]);
  });
});
