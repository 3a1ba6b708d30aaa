import { Code, ConnectError } from "@connectrpc/connect";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { MeterChange } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  FuelKind,
  UndoableDecision,
  UpdateStatus,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { currentToast } from "#/shared/toast/store";
import { openDialog } from "#/test/open-dialog";
import { ReviewSection } from "./review-section";
import { below, open as openPart, pickup, update } from "./updates.fixture";

type Updates = Parameters<typeof openPart>[1];
const open = (updates: Updates, options: Parameters<typeof openPart>[2] = {}) =>
  openPart(<ReviewSection />, updates, options);

const queue = () => screen.findByRole("list", { name: "Waiting for review" });
const recent = () => screen.findByRole("list", { name: "Recent Operator Updates" });
const rowsIn = (list: HTMLElement) =>
  within(list)
    .getAllByRole("listitem")
    .filter((row) => row.parentElement === list);
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));

it("shows who reported what, against which meter, and its flags", async () => {
  await open([update("a", { flags: ["repeated", "unheard_of"] })]);
  const list = await queue();
  await waitFor(() => expect(list.textContent).toContain("4,812.5 hours"));
  expect(list.textContent).toContain("Maria Lopez");
  expect(list.textContent).toContain("+8.4 h");
  expect(list.textContent).toContain("Same figures sent twice within 10 minutes");
  expect(list.textContent).toContain("Needs attention");
  expect(screen.getByText("1 update waiting for review")).toBeTruthy();
});

it("shows unit numbers in front of the names", async () => {
  const roller = { equipmentId: "e3", equipmentName: "Roller" };
  await open([
    update("a", roller),
    update("b", { ...roller, status: UpdateStatus.RECENT }),
    update("c"),
  ]);
  const list = await queue();
  await waitFor(() => expect(list.textContent).toContain("RL-3 Roller"));
  expect(rowsIn(list).map((row) => row.textContent)[0]).toMatch(/^Excavator/);
  expect((await recent()).textContent).toContain("RL-3 Roller");
});

it("shows the first few and links to the others", async () => {
  await open(["a", "b", "c", "d", "e", "f"].map((id) => update(id)));
  expect(rowsIn(await queue())).toHaveLength(4);
  const all = screen.getByRole("link", { name: "Review all (6)" });
  expect(all.getAttribute("href")).toBe("/review");
});

it("applies once, however often it is pressed, and keeps the row with an undo for a while", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const calls = await open([update("a")]);
  const button = within(await queue()).getByRole("button", { name: "Apply" });
  fireEvent.click(button);
  fireEvent.click(button);
  await within(await queue()).findByText("Applied");
  fireEvent.click(button);
  expect(calls).toEqual([["apply", "a", null]]);
  expect(currentToast()).toBeNull();
  expect(screen.queryByText("Nothing to review")).toBeNull();
  act(() => void vi.advanceTimersByTime(19_000));
  expect(screen.getByRole("button", { name: "Undo" })).toBeTruthy();
  act(() => void vi.advanceTimersByTime(1_000));
  expect(await screen.findByText("Nothing to review")).toBeTruthy();
  vi.useRealTimers();
});

it("labels each update with the machine's unit number", async () => {
  await open([update("a", { equipmentId: "e3", equipmentName: "Roller" })]);
  const list = within(await queue());
  const row = within(await list.findByRole("group", { name: "RL-3 Roller" }));
  fireEvent.click(row.getByRole("button", { name: "Apply" }));
  const region = within(screen.getByRole("region", { name: "Waiting for review" }));
  await waitFor(() => expect(region.getByRole("status").textContent).toBe("RL-3 Roller: Applied"));
});

it("announces a decision, and keeps the focus in its row, also after an undo", async () => {
  await open([update("a")]);
  const list = within(await queue());
  const region = within(screen.getByRole("region", { name: "Waiting for review" }));
  const status = region.getByRole("status");
  expect(status.textContent).toBe("");
  const apply = list.getByRole("button", { name: "Apply" });
  apply.focus();
  fireEvent.click(apply);
  await waitFor(() => expect(status.textContent).toBe("Excavator: Applied"));
  const row = list.getByRole("group", { name: "Excavator" });
  expect(document.activeElement).toBe(row);
  const undo = within(row).getByRole("button", { name: "Undo" });
  undo.focus();
  fireEvent.click(undo);
  await waitFor(() => expect(document.activeElement).toBe(row));
  expect(region.getByRole("status")).toBe(status);
  expect(status.textContent).toBe("");
});

it("keeps the focus in the row after a rejection in a dialog", async () => {
  await open([update("a")]);
  const list = within(await queue());
  const reject = list.getByRole("button", { name: "Reject" });
  reject.focus();
  fireEvent.click(reject);
  const dialog = await openDialog("Reject this update?");
  fireEvent.click(dialog.getByRole("button", { name: "Duplicate" }));
  fireEvent.click(dialog.getByRole("button", { name: "Reject" }));
  await list.findByText("Rejected");
  await waitFor(() =>
    expect(document.activeElement).toBe(list.getByRole("group", { name: "Excavator" })),
  );
});

it("leaves a row with the reason when it could not be applied", async () => {
  const failApply = new ConnectError("The equipment is gone.", Code.FailedPrecondition);
  await open([update("a")], { failApply });
  await queue();
  press("Apply");
  expect((await screen.findByRole("alert")).textContent).toContain("The equipment is gone.");
  expect(rowsIn(await queue())).toHaveLength(1);
});

it("names a lower meter, and asks before it is set back", async () => {
  const calls = await open([update("b", below)]);
  await queue();
  fireEvent.click(await screen.findByRole("button", { name: "Set the meter back to 88,094 mi" }));
  const dialog = within(await screen.findByRole("alertdialog"));
  expect(dialog.getByText("Set the meter back to 88,094 miles?")).toBeTruthy();
  expect(
    dialog.getByText(/Pickup shows 88,904 miles now. The meter goes down by 810 mi/),
  ).toBeTruthy();
  expect(calls).toEqual([]);
  fireEvent.click(dialog.getByRole("button", { name: "Set the meter back" }));
  await within(await queue()).findByText("Applied");
  expect(calls).toEqual([["apply", "b", 88094]]);
});

it("accepts a reading as it is when the meter was lower at its capture", async () => {
  const calls = await open([update("b", { ...below, belowCurrent: false, flags: ["fuel_high"] })]);
  await queue();
  press("Accept as is");
  await within(await queue()).findByText("Applied");
  expect(calls).toEqual([["apply", "b", null]]);
});

it("pulses updates about critical equipment until that is turned off, and remembers it", async () => {
  await open([update("r", { ...pickup, status: UpdateStatus.APPLIED })]);
  const row = within(await recent()).getByRole("listitem");
  await waitFor(() => expect(row.className).toContain("severe-pulse"));
  expect(row.textContent).toContain("Service far overdue");
  const toggle = screen.getByRole("switch", { name: "Pulse alerts" });
  expect(toggle).toHaveProperty("checked", true);
  fireEvent.click(toggle);
  expect(row.className).not.toContain("pulse");
  expect(localStorage.getItem("pulseAlerts")).toBe("off");
  fireEvent.click(toggle);
});

it("acknowledges an automatically applied update", async () => {
  const calls = await open([update("r", { status: UpdateStatus.RECENT })]);
  expect(await screen.findByText("Applied automatically")).toBeTruthy();
  press("Acknowledge");
  expect(await screen.findByText("Applied")).toBeTruthy();
  expect(calls).toEqual([["acknowledge", "r"]]);
  expect(screen.queryByRole("button", { name: "Acknowledge all" })).toBeNull();
});

it("undoes an acknowledgment", async () => {
  const calls = await open([update("r", { status: UpdateStatus.RECENT })]);
  await recent();
  press("Acknowledge");
  await waitFor(() => expect(currentToast()?.title).toBe("Update acknowledged"));
  act(() => currentToast()?.action?.run());
  await waitFor(() =>
    expect(calls.at(-1)).toEqual(["undo", UndoableDecision.ACKNOWLEDGEMENT, "r"]),
  );
});

it("takes back what was applied automatically, with a reason", async () => {
  const another = await openPart(
    <ReviewSection />,
    [update("s", { status: UpdateStatus.RECENT })],
    {},
  );
  fireEvent.click(await screen.findByRole("button", { name: "Take back" }));
  const dialog = await screen.findByRole("dialog", { name: "Take this update back?" });
  await openDialog();
  expect(dialog.textContent).toContain("Maria Lopez's update about Excavator");
  const submit = () => fireEvent.click(within(dialog).getByRole("button", { name: "Take back" }));
  submit();
  expect(await within(dialog).findByText(/Enter or choose a reason/)).toBeTruthy();
  expect(another).toEqual([]);
  fireEvent.click(within(dialog).getByRole("button", { name: "Wrong machine" }));
  submit();
  await waitFor(() => expect(dialog.isConnected).toBe(false));
  expect(another).toEqual([
    ["takeBack", "s", UndoableDecision.AUTOMATIC_APPLICATION, "Wrong machine"],
  ]);
  expect(currentToast()?.title).toBe("Update taken back");
});

it("acknowledges all, and keeps those that failed", async () => {
  const calls = await open(
    ["r1", "r2", "r3"].map((id) => update(id, { status: UpdateStatus.RECENT })),
    { refuse: ["r2"] },
  );
  await recent();
  press("Acknowledge all");
  await waitFor(() => expect(screen.getAllByText("Applied")).toHaveLength(2));
  expect(calls).toEqual([["acknowledgeMany", "r1", "r2", "r3"]]);
  const alert = screen.getByRole("alert").textContent;
  expect(alert).toContain("This update is being applied.");
  expect(alert).not.toContain("Server's text.");
  expect(currentToast()?.description).toBe("2 updates acknowledged. 1 could not be acknowledged.");
  act(() => currentToast()?.action?.run());
  await waitFor(() =>
    expect(calls.at(-1)).toEqual(["undo", UndoableDecision.ACKNOWLEDGEMENT, "r1", "r3"]),
  );
});

it("reports an unknown outcome without a response, and refetches", async () => {
  await open([update("r1", { status: UpdateStatus.RECENT })], { answerLost: true });
  await recent();
  press("Acknowledge all");
  await screen.findAllByText(
    "The server didn't respond for 1 update. The list is being refreshed.",
  );
  await waitFor(() => expect(screen.getAllByText("Applied")).toHaveLength(1));
  expect(screen.queryByRole("alert")).toBeNull();
});

it("says that a late update was recorded at its own time", async () => {
  await open([update("l", { status: UpdateStatus.APPLIED, late: true, fuelAdded: 3 })]);
  const row = within(await recent()).getByRole("listitem");
  await waitFor(() => expect(row.textContent).toContain("Recorded at its own time"));
  expect(row.textContent).not.toContain("+8.4 h");
});

it("says why an increase did not move the meter", async () => {
  const increase = {
    status: UpdateStatus.APPLIED,
    newUsage: undefined,
    usageIncrease: 8,
    previousUsage: undefined,
  };
  await open([
    update("l", { ...increase, late: true }),
    update("n", { ...increase, equipmentId: "e3", equipmentName: "Roller" }),
  ]);
  const [late, first] = within(await recent()).getAllByRole("listitem");
  await waitFor(() => expect(late?.textContent).toContain("+8 h"));
  expect(late?.textContent).toContain("Recorded at its own time, before a newer reading");
  expect(first?.textContent).toContain("The meter did not move: it was never read before");
});

it("says that a late update leaves the meter as it is", async () => {
  await open([update("l", { late: true, newUsage: undefined, usageIncrease: 8 })]);
  const list = await queue();
  press("Apply");
  await within(list).findByText("Applied");
  expect(list.textContent).toContain(
    "it is recorded at its own time, and the newer reading stands",
  );
});

it("shows where a moved update came from, and what was decided", async () => {
  await open([
    update("m", {
      status: UpdateStatus.APPLIED,
      reportedEquipmentName: "Dump truck 12",
      appliedUsage: 4805,
    }),
  ]);
  const row = within(await recent()).getByRole("listitem");
  expect(row.textContent).toContain("Reported for Dump truck 12");
  await waitFor(() => expect(row.textContent).toContain("4,805 hours"));
  expect(row.textContent).not.toContain("4,812.5");
});

it("shows the fuel that a manager corrected, and the sent one", async () => {
  const fill = { status: UpdateStatus.APPLIED, fuelAdded: 670, fuelKind: FuelKind.DIESEL };
  await open([
    update("a", { ...fill, appliedFuel: 67, appliedFuelKind: FuelKind.DIESEL, fullFill: true }),
    update("n", { ...fill, appliedFuel: 0, appliedFuelKind: FuelKind.DIESEL }),
    update("k", fill),
  ]);
  const rows = within(await recent()).getAllByRole("listitem");
  const [corrected, none, kept] = rows.map((row) => row.textContent);
  expect(corrected).toMatch(
    /Sent: 670.0\sgal diesel, filled upApplied as 67.0\sgal diesel, filled up/,
  );
  expect(none).toMatch(/Sent: 670.0\sgal dieselApplied as no fuel/);
  expect(kept).toMatch(/670.0\sgal diesel/);
  expect(kept).not.toMatch(/Sent|Applied as/);
});

it("compares a reading with the start of its meter, and names a replaced or set-back one", async () => {
  const low = {
    status: UpdateStatus.APPLIED,
    newUsage: 2.4,
    appliedUsage: 2.4,
    previousUsage: 537.1,
  };
  const { REPLACED, ROLLED_OVER } = MeterChange;
  await open([
    update("new", { ...low, meterReplacement: { change: REPLACED, startReading: 1 } }),
    update("rolled", {
      ...low,
      meterReplacement: { change: ROLLED_OVER, finalReading: 999.9, startReading: 0 },
    }),
    update("set back", { ...low, appliedReading: 2.4, setBack: true }),
  ]);
  const rows = within(await recent()).getAllByRole("listitem");
  await waitFor(() => expect(rows[0]?.textContent).toContain("2.4 hours"));
  const [fresh, rolled, back] = rows.map((row) => row.textContent);
  expect(fresh).toContain(
    "2.4 hours+1.4 hThe old meter ended at 537.1 hours, the new one started at 1 hour.",
  );
  expect(rolled).toContain("2.4 hours+2.4 hThe meter rolled over at 999.9 hours.");
  expect(back).toContain(
    "537.1 → 2.4 hours\u2212534.7 hThe meter was set back; it was at 537.1 hours.",
  );
});

it("distinguishes critical from severely critical, in words too", async () => {
  await open([
    update("c", { equipmentId: "e3", equipmentName: "Roller", status: UpdateStatus.APPLIED }),
    update("s", { ...pickup, status: UpdateStatus.APPLIED }),
    update("g", { status: UpdateStatus.APPLIED }),
  ]);
  const rows = within(await recent()).getAllByRole("listitem");
  await waitFor(() => expect(rows[0]?.className).toMatch(/(^|\s)critical-pulse/));
  expect(rows[0]?.textContent).toContain("Service due or almost due");
  expect(rows[1]?.className).toMatch(/(^|\s)severe-pulse/);
  expect(rows[2]?.className).not.toContain("pulse");
  fireEvent.click(screen.getByRole("switch", { name: "Pulse alerts" }));
  expect(rows[0]?.className).not.toContain("pulse");
  expect(rows[0]?.textContent).toContain("Service due or almost due");
});

it("lists nothing but applied and recent ones", async () => {
  await open([
    update("p", { equipmentName: "Waiting" }),
    update("x", { equipmentName: "Refused", status: UpdateStatus.REJECTED }),
  ]);
  expect(await screen.findByText("No recent updates")).toBeTruthy();
  expect(screen.queryByText("Refused")).toBeNull();
});

it("links a name to the equipment, as long as it exists", async () => {
  await open([
    update("a", { status: UpdateStatus.APPLIED }),
    update("b", { equipmentId: "gone", equipmentName: "Sold", status: UpdateStatus.APPLIED }),
  ]);
  const link = await screen.findByRole("link", { name: "Excavator" });
  expect(link.getAttribute("href")).toBe("/equipment/item/e1");
  expect(screen.getByText("Sold")).toBeTruthy();
  expect(screen.queryByRole("link", { name: "Sold" })).toBeNull();
});
