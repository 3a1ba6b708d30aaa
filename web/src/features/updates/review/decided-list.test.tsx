import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import {
  UndoableDecision,
  UpdateStatus,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { noteServerTime } from "#/api/server-clock";
import { at, pickup, update } from "../updates.fixture";
import { open } from "./review-page.fixture";

const showDecided = async () => {
  const tab = await screen.findByRole("tab", { name: "Decided" });
  fireEvent.mouseDown(tab, { button: 0 });
  return within(await screen.findByRole("list", { name: "Decided" }));
};
const applied = (id: string, minute: number, more = {}) =>
  update(id, {
    status: UpdateStatus.APPLIED,
    reviewedBy: "Ana Ruiz",
    reviewedAt: at(`2026-11-21T13:${String(minute).padStart(2, "0")}:00Z`),
    ...more,
  });

it("lists who decided what and when, last decision first, with what was sent and applied", async () => {
  await open([
    update("w"),
    applied("a", 1, {
      ...pickup,
      newUsage: 889_100,
      appliedReading: 88_910,
      reportedEquipmentName: "Roller",
    }),
    update("r", {
      status: UpdateStatus.REJECTED,
      reviewedBy: "Olga Paz",
      reviewedAt: at("2026-11-21T13:02:00Z"),
      rejectReason: "Duplicate",
      capturedOnDevice: "Shop phone",
    }),
    update("t", {
      status: UpdateStatus.TAKEN_BACK,
      takenBackBy: "Ana Ruiz",
      takenBackReason: "One digit too many",
      takenBackAt: at("2026-11-21T13:03:00Z"),
    }),
  ]);
  const list = await showDecided();
  await waitFor(() => expect(list.getAllByRole("listitem")).toHaveLength(3));
  await list.findByText("Applied as 88,910 miles");
  const rows = list.getAllByRole("listitem").map((row) => row.textContent);
  expect(rows[0]).toMatch(/Excavator.*Taken back by Ana RuizOne digit too many/);
  expect(rows[1]).toMatch(/Excavator.*4,812.5 hours.*Rejected by Olga PazDuplicate/);
  expect(rows[1]).toContain("captured offline on Shop phone");
  expect(rows[2]).toMatch(/Pickup.*Sent: 889,100 miles.*Reported for Roller.*Applied by Ana Ruiz/);
  expect(list.queryByRole("button", { name: "Undo" })).toBeNull();
  fireEvent.click(screen.getByRole("radio", { name: "Rejected" }));
  await waitFor(() => expect(list.getAllByRole("listitem")).toHaveLength(1));
});

it("names a meter that was set back", async () => {
  await open([update("w"), applied("a", 1, { previousUsage: 4900, setBack: true })]);
  const list = await showDecided();
  expect(await list.findByText("The meter was set back; it was at 4,900 hours.")).toBeTruthy();
});

it("leads to what was taken back, where it can be decided again", async () => {
  await open([update("w"), update("t", { ...pickup, status: UpdateStatus.TAKEN_BACK })]);
  fireEvent.click(await (await showDecided()).findByRole("button", { name: "Decide again" }));
  const list = within(await screen.findByRole("list", { name: "Taken back" }));
  await waitFor(() =>
    expect(document.activeElement).toBe(list.getByRole("group", { name: "Pickup" })),
  );
});

it("says where automatically applied updates are", async () => {
  await open([update("w"), update("auto", { status: UpdateStatus.RECENT })]);
  await showDecided();
  expect(await screen.findByText(/applied automatically are on the dashboard/)).toBeTruthy();
});

it("shows unit numbers in front of the names", async () => {
  await open([update("w"), applied("a", 1, { equipmentId: "e3", equipmentName: "Roller" })]);
  const row = await (await showDecided()).findByRole("listitem");
  await waitFor(() => expect(row.textContent).toMatch(/^RL-3 Roller/));
});

it("names the author of a withdrawal, which can't be undone", async () => {
  await open([
    update("w"),
    update("r", {
      status: UpdateStatus.REJECTED,
      withdrawn: true,
      reviewedBy: "María Salazar",
      reviewedAt: timestampFromDate(new Date()),
      rejectReason: "WITHDRAWN",
    }),
  ]);
  const list = await showDecided();
  const row = await list.findByRole("listitem");
  expect(row.textContent).toContain("Withdrawn by María Salazar");
  expect(row.textContent).not.toContain("WITHDRAWN");
  expect(list.queryByRole("button", { name: "Undo" })).toBeNull();
});

it("undoes any person's decision of the last minute", async () => {
  const calls = await open([
    update("w"),
    applied("a", 1, { reviewedAt: timestampFromDate(new Date()) }),
  ]);
  const list = await showDecided();
  fireEvent.click(await list.findByRole("button", { name: "Undo" }));
  await screen.findByText("No decisions");
  expect(calls).toEqual([["undo", UndoableDecision.UNSPECIFIED, "a"]]);
});

it("ends the undo before the server's time is up, by the server's clock", async () => {
  const serverNow = Date.now() + 40_000;
  noteServerTime(new Date(serverNow).toUTCString());
  await open([
    update("w"),
    applied("a", 1, { reviewedAt: timestampFromDate(new Date(serverNow - 58_000)) }),
    update("r", {
      status: UpdateStatus.REJECTED,
      reviewedBy: "Olga Paz",
      reviewedAt: timestampFromDate(new Date(serverNow - 50_000)),
    }),
  ]);
  const list = await showDecided();
  await list.findByRole("link", { name: "Void in history" });
  const rows = list.getAllByRole("listitem").map((row) => row.textContent);
  expect(rows[0]).toMatch(/Rejected by Olga Paz.*Undo$/);
  expect(rows[1]).toMatch(/Applied by Ana Ruiz.*Void in history$/);
  noteServerTime(new Date().toUTCString());
});

it("loads more decisions", async () => {
  await open([
    update("w"),
    ...Array.from({ length: 26 }, (_, index) => applied(`a${index}`, index)),
  ]);
  const list = await showDecided();
  await waitFor(() => expect(list.getAllByRole("listitem")).toHaveLength(25));
  fireEvent.click(screen.getByRole("button", { name: "Show more" }));
  await waitFor(() => expect(list.getAllByRole("listitem")).toHaveLength(26));
});
