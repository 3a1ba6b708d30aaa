import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { operator, renderApp, stubRest } from "#/test/render-app";
import type { OwnUpdate } from "./offline-data/own-update";
import { ago, machine, operatorServer, ownUpdate, refusal } from "./operator.fixture";

/** The stored data, which survives a reload as IndexedDB does. */
const device = vi.hoisted(() => new Map<string, unknown>());
/** Whether the device leaves requests unanswered. */
const silent = vi.hoisted(() => ({ now: false }));

vi.mock(import("#/device/database"), async (original) => ({
  ...(await original()),
  readCached: (key: string) => Promise.resolve(structuredClone(device.get(key))),
  writeCached: (key: string, value: unknown) => {
    if (silent.now) return Promise.resolve(false);
    device.set(key, structuredClone(value));
    return Promise.resolve(true);
  },
  updateCached: (key: string, change: (value: unknown) => unknown) => {
    if (silent.now) return Promise.resolve();
    device.set(key, structuredClone(change(structuredClone(device.get(key)))));
    return Promise.resolve(structuredClone(device.get(key)));
  },
  deleteCached: (...keys: string[]) => {
    for (const key of keys) device.delete(key);
    return Promise.resolve();
  },
}));

const fleet = [
  machine("e1", "Excavator", { fuelType: "n/a", meterReading: 4804.1, usualFill: null }),
  machine("e2", "Backhoe", { meterReading: 9120, usualFill: null }),
];

const rejected = ownUpdate("r1", {
  equipmentId: "e2",
  equipmentName: "Backhoe",
  newUsage: 91255,
  status: "rejected",
  rejectReason: "One digit too many",
  capturedAt: ago(0.5),
  reviewedAt: ago(0.25),
});

/** Opens the page as after a reload, without the state in memory. */
async function open({
  who = operator,
  machines = fleet,
  sent = [],
  ...server
}: Pick<Parameters<typeof operatorServer>[0] & object, "answerSubmission" | "list"> & {
  who?: typeof operator;
  machines?: typeof fleet;
  sent?: OwnUpdate[];
} = {}) {
  cleanup();
  const { routes, received } = operatorServer({ who, machines, sent, ...server });
  stubRest({ ...routes, "GET /api/auth/user": { status: 200, body: who } });
  const app = await renderApp("/operator");
  await screen.findByRole("form", { name: "New update" });
  return { ...app, received };
}

const type = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));
const valueOf = (label: string | RegExp) => screen.getByLabelText<HTMLInputElement>(label).value;
const restoredLine = () => screen.queryByText("Your unfinished update was restored");

async function choose(name: RegExp) {
  fireEvent.click(screen.getByLabelText("Equipment"));
  const sheet = await screen.findByRole("dialog", { name: "Choose equipment" });
  await within(sheet).findAllByRole("button", { name });
  await waitFor(() => {
    // Queries again, because the list may rerender. Skips the pin buttons.
    const rows = within(sheet).queryAllByRole("button", { name });
    fireEvent.click(rows.find((each) => !each.hasAttribute("aria-label")) ?? sheet);
    expect(screen.queryByRole("dialog")).toBeNull();
  });
}

/** Closes the page as a phone does, with `pagehide` only. */
const leave = () =>
  act(() => {
    window.dispatchEvent(new Event("pagehide"));
  });

/** Fills in every field. */
async function writeAll() {
  await choose(/Excavator/);
  fireEvent.click(screen.getByLabelText("Hours added"));
  fireEvent.change(screen.getByRole("textbox", { name: "Hours added" }), {
    target: { value: "8,4" },
  });
  fireEvent.click(screen.getByLabelText("Diesel"));
  type(/Fuel amount/, "12.");
  press("Add a note");
  type(/Maintenance notes/, "Belt squ");
}

beforeEach(() => {
  device.clear();
  silent.now = false;
});

describe("an unfinished entry", () => {
  it("with only a machine is not restored", async () => {
    await open();
    await choose(/Excavator/);
    leave();
    await open();
    expect(restoredLine()).toBeNull();
    expect(screen.getByLabelText("Equipment").textContent).not.toContain("Excavator");
  });

  it("is restored with all values and removed after the submit", async () => {
    await open();
    expect(restoredLine()).toBeNull();
    await writeAll();
    leave();
    const { received } = await open();
    expect(restoredLine()).toBeTruthy();
    expect(await screen.findByText("4,812.5 h")).toBeTruthy();
    expect(screen.getByLabelText("Equipment").textContent).toContain("Excavator");
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Hours added" }).value).toBe(
      "8,4",
    );
    expect(screen.getByLabelText<HTMLInputElement>("Diesel").checked).toBe(true);
    expect(valueOf(/Fuel amount/)).toBe("12.");
    expect(valueOf(/Maintenance notes/)).toBe("Belt squ");
    const before = Date.now();
    press("Submit");
    await waitFor(() => expect(received).toHaveLength(1));
    expect(received[0]).toMatchObject({ usageIncrease: 8.4, fuelAdded: 12, notes: "Belt squ" });
    // The capture time is the time of the submit, not of the first edit.
    expect(Date.parse(received[0]?.capturedAt ?? "")).toBeGreaterThan(before - 2_000);
    await screen.findByRole("group", { name: "Update Submitted" });
    expect(restoredLine()).toBeNull();
    await open();
    expect(restoredLine()).toBeNull();
    expect(valueOf("Meter reading")).toBe("");
  });

  it("is stored shortly after typing, in the device's database", async () => {
    await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "4812");
    await waitFor(() => expect(JSON.stringify([...device])).toContain('"4812"'));
    expect([...device.keys()]).toContain(`drafts/${operator.id}`);
    expect(JSON.stringify([localStorage, sessionStorage])).not.toContain("4812");
  });

  it("can be discarded permanently", async () => {
    await open();
    await writeAll();
    leave();
    await open();
    press("Discard");
    const asked = await screen.findByRole("alertdialog", {
      name: "Discard this unfinished update?",
    });
    fireEvent.click(within(asked).getByRole("button", { name: "Discard" }));
    await waitFor(() => expect(restoredLine()).toBeNull());
    expect(valueOf(/Fuel amount/)).toBe("");
    await open();
    expect(restoredLine()).toBeNull();
  });

  it("stays discarded when the page is reloaded before the device has stored it", async () => {
    await open();
    await writeAll();
    leave();
    await open();
    press("Discard");
    const asked = await screen.findByRole("alertdialog");
    silent.now = true;
    fireEvent.click(within(asked).getByRole("button", { name: "Discard" }));
    await waitFor(() => expect(restoredLine()).toBeNull());
    cleanup();
    silent.now = false;
    await open();
    expect(restoredLine()).toBeNull();
    type("Meter reading", "48");
    leave();
    await open();
    expect(valueOf("Meter reading")).toBe("48");
    expect(JSON.stringify(localStorage)).not.toContain("unstored");
  });

  it("is kept when the page closes before the device has stored it", async () => {
    await open();
    await writeAll();
    silent.now = true;
    leave();
    cleanup();
    silent.now = false;
    await open();
    expect(restoredLine()).toBeTruthy();
    expect(valueOf(/Maintenance notes/)).toBe("Belt squ");
    await waitFor(() => expect(JSON.stringify([...device])).toContain("Belt squ"));
    await waitFor(() => expect(JSON.stringify(localStorage)).not.toContain("Belt squ"));
  });

  it("is removed when all values are cleared", async () => {
    await open();
    type("Meter reading", "48");
    leave();
    type("Meter reading", "");
    leave();
    await open();
    expect(restoredLine()).toBeNull();
  });

  it("is visible to its user only", async () => {
    await open();
    await writeAll();
    leave();
    const other = { ...operator, id: "u9", operatorUsername: "juan1111" };
    await open({ who: other });
    expect(restoredLine()).toBeNull();
    expect(valueOf("Meter reading")).toBe("");
    type("Meter reading", "77");
    leave();
    await open();
    expect(restoredLine()).toBeTruthy();
    expect(valueOf(/Maintenance notes/)).toBe("Belt squ");
    await open({ who: other });
    expect(valueOf("Meter reading")).toBe("77");
  });

  it("keeps its other values when its machine was removed, and needs a new machine", async () => {
    await open();
    await writeAll();
    leave();
    const { received } = await open({ machines: fleet.slice(1) });
    expect(await screen.findByText("Search all equipment")).toBeTruthy();
    expect(valueOf(/Maintenance notes/)).toBe("Belt squ");
    press("Submit");
    expect(await screen.findByText("No Equipment Selected")).toBeTruthy();
    expect(received).toEqual([]);
  });

  it("waits for the machines when it is submitted before they are loaded", async () => {
    await open();
    await writeAll();
    leave();
    device.delete(`meters/${operator.id}`);
    const list = Promise.withResolvers<void>();
    const { received } = await open({ list: () => list.promise });
    expect(screen.getByLabelText("Equipment").textContent).toContain("Excavator");
    press("Submit");
    await screen.findByRole("button", { name: "Submitting..." });
    expect(screen.queryByText("No Equipment Selected")).toBeNull();
    expect(received).toEqual([]);
    list.resolve();
    await waitFor(() => expect(received).toHaveLength(1));
    expect(received[0]).toMatchObject({ usageIncrease: 8.4, fuelAdded: 12, notes: "Belt squ" });
  });

  it("shows the load failure of the machines and keeps its values", async () => {
    await open();
    await writeAll();
    leave();
    device.delete(`meters/${operator.id}`);
    const { received } = await open({
      list: () => ({ status: 500, body: { message: "Not now." } }),
    });
    press("Submit");
    const form = screen.getByRole("form", { name: "New update" });
    await within(form).findByText(/The equipment list is not on this phone yet/);
    expect(screen.getByLabelText("Equipment").textContent).toContain("Excavator");
    expect(valueOf(/Maintenance notes/)).toBe("Belt squ");
    expect(received).toEqual([]);
  });

  it("survives another draft begun while the device did not respond", async () => {
    await open();
    await writeAll();
    leave();
    silent.now = true;
    await open();
    expect(restoredLine()).toBeNull();
    type("Meter reading", "77");
    leave();
    silent.now = false;
    leave();
    const { received } = await open();
    expect(valueOf("Meter reading")).toBe("77");
    await choose(/Backhoe/);
    type("Meter reading (hours)", "9121");
    press("Submit");
    await waitFor(() => expect(received).toHaveLength(1));
    await screen.findByRole("group", { name: "Update Submitted" });
    await open();
    expect(valueOf(/Maintenance notes/)).toBe("Belt squ");
  });

  it("is restored into an empty form when the device responds late", async () => {
    await open();
    await writeAll();
    leave();
    silent.now = true;
    await open();
    expect(restoredLine()).toBeNull();
    silent.now = false;
    await waitFor(() => expect(restoredLine()).toBeTruthy());
    expect(valueOf(/Maintenance notes/)).toBe("Belt squ");
  });

  it.each([
    ["no draft box", "rubbish"],
    ["of another version", { version: 0, drafts: [{ key: "new" }], done: [] }],
    ["damaged", { version: 1, drafts: [null, { key: "new", values: { reading: 4 } }], done: 7 }],
  ])("is ignored when the stored value is %s", async (_, stored) => {
    device.set(`drafts/${operator.id}`, stored);
    await open();
    expect(restoredLine()).toBeNull();
    type("Meter reading", "48");
    leave();
    await open();
    expect(valueOf("Meter reading")).toBe("48");
  });
});

describe("a correction over an unfinished entry", () => {
  const beginCorrection = async () => {
    const message = await screen.findByRole("region", { name: "Rejected" });
    fireEvent.click(within(message).getByRole("button", { name: "Send a correction" }));
    await screen.findByText(/You are correcting an update/);
  };

  it("restores the entry after the submit", async () => {
    const { received } = await open({ sent: [rejected] });
    await choose(/Excavator/);
    type("Meter reading (hours)", "4810");
    await beginCorrection();
    expect(valueOf("Meter reading (hours)")).toBe("91255");
    type("Meter reading (hours)", "9125.5");
    press("Submit");
    await waitFor(() => expect(received).toHaveLength(1));
    expect(received[0]).toMatchObject({ equipmentId: "e2", newUsage: 9125.5 });
    await waitFor(() => expect(restoredLine()).toBeTruthy());
    expect(screen.getByLabelText("Equipment").textContent).toContain("Excavator");
    expect(valueOf("Meter reading (hours)")).toBe("4810");
  });

  it("restores the entry after the correction is abandoned", async () => {
    await open({ sent: [rejected] });
    type("Meter reading", "4810");
    await beginCorrection();
    type("Meter reading (hours)", "9125.5");
    press("Stop correcting");
    await waitFor(() => expect(valueOf("Meter reading")).toBe("4810"));
    await beginCorrection();
    expect(valueOf("Meter reading (hours)")).toBe("91255");
  });

  it("is restored after a reload, and the entry after it", async () => {
    await open({ sent: [rejected] });
    type("Meter reading", "4810");
    await beginCorrection();
    type("Meter reading (hours)", "9125.5");
    fireEvent.click(screen.getByLabelText("Just now"));
    leave();
    const { received } = await open({ sent: [rejected] });
    expect(screen.getByText(/You are correcting an update/)).toBeTruthy();
    expect(restoredLine()).toBeTruthy();
    await screen.findByLabelText("Meter reading (hours)");
    expect(valueOf("Meter reading (hours)")).toBe("9125.5");
    expect(screen.getByLabelText<HTMLInputElement>("Just now").checked).toBe(true);
    press("Submit");
    await waitFor(() => expect(received).toHaveLength(1));
    await waitFor(() => expect(valueOf("Meter reading")).toBe("4810"));
  });
});

it("shows a refused entry once", async () => {
  await open({
    answerSubmission: () => refusal("Not possible."),
  });
  await choose(/Excavator/);
  type("Meter reading (hours)", "4811");
  press("Submit");
  await screen.findByText(/You are correcting an update/);
  press("Stop correcting");
  await waitFor(() => expect(valueOf("Meter reading")).toBe(""));
  expect(restoredLine()).toBeNull();
});
