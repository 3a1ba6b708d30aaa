import { Code, ConnectError } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { HistoryKind, ServiceStatus } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { UndoableDecision } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { openDialog } from "#/test/open-dialog";
import { excavator, id, openDetail, record, world, type World } from "./detail.fixture";

const tasks = [
  { id: "t0", fromForm: true, status: ServiceStatus.OVERDUE },
  { id: "t1", name: "Oil", status: ServiceStatus.TIME_FOR_SERVICE },
  { id: "t2", name: "Belts", status: ServiceStatus.GOOD },
];
const waiting = [
  { id: "u1", equipmentId: id },
  { id: "u2", equipmentId: "other" },
  { id: "u3", equipmentId: id },
];

const good = excavator({ serviceStatus: ServiceStatus.GOOD });

async function open(state: World) {
  await openDetail(state);
  fireEvent.keyDown(await screen.findByRole("button", { name: "Actions for Excavator" }), {
    key: "Enter",
  });
  fireEvent.click(await screen.findByRole("menuitem", { name: "Retire or delete…" }));
  return openDialog();
}

async function askToDelete(state: World) {
  const dialog = await open(state);
  fireEvent.click(dialog.getByRole("radio", { name: /^Delete/ }));
  const submit = dialog.getByRole("button", { name: "Delete permanently" });
  await waitFor(() => expect(submit.hasAttribute("aria-disabled")).toBe(false));
  fireEvent.click(submit);
  return screen.findByRole("alertdialog");
}

it("the machine's header links to the review while updates of the machine wait", async () => {
  await openDetail(world({ waiting }));
  const link = await screen.findByRole("link", { name: "2 updates waiting" });
  expect(link.getAttribute("href")).toBe("/review");
});

describe("what is open when equipment is removed", () => {
  it("lists due tasks and waiting updates, which may be rejected first", async () => {
    const state = world({ tasks, waiting, equipment: excavator({ moreTasks: 2 }) });
    const dialog = await open(state);
    expect(await dialog.findByText("2 tasks are due: Regular service, Oil.")).toBeTruthy();
    expect(dialog.getByText(/^2 updates wait for review/)).toBeTruthy();
    expect(dialog.getByRole("link", { name: "Review" }).getAttribute("href")).toBe("/review");
    fireEvent.click(dialog.getByRole("checkbox", { name: /^Reject them/ }));
    fireEvent.click(dialog.getByRole("button", { name: "Retire equipment" }));
    await waitFor(() => expect(state.calls).toHaveLength(2));
    expect(state.calls).toMatchObject([
      ["reject", { ids: ["u1", "u3"], reason: "Machine no longer in use" }],
      ["retire", { id }],
    ]);
  });

  it("undoes a retirement, with the rejections", async () => {
    const state = world({ waiting });
    const dialog = await open(state);
    fireEvent.click(await dialog.findByRole("checkbox", { name: /^Reject them/ }));
    fireEvent.click(dialog.getByRole("button", { name: "Retire equipment" }));
    fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
    await screen.findByText("Change undone");
    expect(state.calls.slice(2)).toMatchObject([
      ["restore", { id: "a1" }],
      ["undo", { ids: ["u1", "u3"], decision: UndoableDecision.REJECTION }],
    ]);
  });

  it("undoes only the rejections that were made", async () => {
    const state = world({ waiting, decided: ["u1"] });
    const dialog = await open(state);
    fireEvent.click(await dialog.findByRole("checkbox", { name: /^Reject them/ }));
    fireEvent.click(dialog.getByRole("button", { name: "Retire equipment" }));
    fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
    await screen.findByText("Change undone");
    expect(state.calls[3]).toMatchObject(["undo", { ids: ["u3"] }]);
  });

  it("counts the updates of all batches that stay rejected after the undo", async () => {
    const many = Array.from({ length: 501 }, (_, index) => ({ id: `u${index}`, equipmentId: id }));
    const state = world({ waiting: many });
    const dialog = await open(state);
    fireEvent.click(await dialog.findByRole("checkbox", { name: /^Reject them/ }));
    fireEvent.click(dialog.getByRole("button", { name: "Retire equipment" }));
    const undo = await screen.findByRole("button", { name: "Undo" });
    state.decided = ["u0", "u500"];
    fireEvent.click(undo);
    await screen.findByText("Restored; 2 updates stay rejected");
    expect(state.calls.map(([name]) => name)).toEqual([
      "reject",
      "reject",
      "retire",
      "restore",
      "undo",
      "undo",
    ]);
  });

  it("reports a retirement that can't be undone", async () => {
    const state = world({ waiting });
    const dialog = await open(state);
    await dialog.findByText(/^2 updates wait for review/);
    fireEvent.click(dialog.getByRole("button", { name: "Retire equipment" }));
    const undo = await screen.findByRole("button", { name: "Undo" });
    state.refusal = new ConnectError("The plan is full.", Code.FailedPrecondition);
    fireEvent.click(undo);
    await screen.findByText("1 change could not be undone");
    expect(screen.getByText("The plan is full.")).toBeTruthy();
  });

  it("names what is deleted with the machine", async () => {
    const kinds = [HistoryKind.USAGE, HistoryKind.USAGE, HistoryKind.SERVICE, HistoryKind.EDIT];
    const records = kinds.map((kind, index) => record({ id: `r${index}`, kind }));
    const voided = record({ id: "voided", kind: HistoryKind.USAGE, voiding: { reason: "Typo" } });
    const sure = await askToDelete(world({ records: [...records, voided], equipment: good }));
    const text = "Its whole history is deleted too, with 2 usage updates and 1 service.";
    await waitFor(() => expect(sure.textContent).toContain(text));
  });

  it("names no figures of a history that is longer than one page", async () => {
    const records = Array.from({ length: 501 }, (_, index) => record({ id: `r${index}` }));
    const pages: string[] = [];
    const state = world({ records, equipment: good });
    state.onHistory = ({ kinds, page }) => {
      if (kinds.length === 0) pages.push(page?.cursor ?? "");
    };
    const sure = await askToDelete(state);
    await waitFor(() => expect(pages).toContain(""));
    expect(sure.textContent).toContain("Its notes and its whole history are deleted too.");
    expect(pages.filter((cursor) => cursor !== "")).toEqual([]);
  });

  it("leaves updates in review by default", async () => {
    const state = world({ waiting });
    const dialog = await open(state);
    await dialog.findByText(/^2 updates wait for review/);
    fireEvent.click(dialog.getByRole("button", { name: "Retire equipment" }));
    await waitFor(() => expect(state.calls).toMatchObject([["retire", { id }]]));
  });

  it("must be known before the machine can be removed", async () => {
    const release = Promise.withResolvers<void>();
    const state = world({ waiting, gate: release.promise });
    const dialog = await open(state);
    const submit = dialog.getByRole("button", { name: "Retire equipment" });
    fireEvent.click(submit);
    expect(submit.getAttribute("aria-disabled")).toBe("true");
    release.resolve();
    await dialog.findByText(/^2 updates wait for review/);
    expect(state.calls).toEqual([]);
    expect(submit.hasAttribute("aria-disabled")).toBe(false);
  });

  it("shows nothing without open matters", async () => {
    const dialog = await open(world({ equipment: good }));
    await waitFor(() => expect(dialog.queryByRole("status")).toBeNull());
    expect(dialog.queryByText(/wait for review|due:/)).toBeNull();
  });

  it("offers another try when that is not known", async () => {
    const state = world({ waiting, waitingFails: true, equipment: good });
    const dialog = await open(state);
    await dialog.findByText("Due tasks and waiting updates could not be loaded");
    state.waitingFails = false;
    fireEvent.click(dialog.getByRole("button", { name: "Try again" }));
    expect(await dialog.findByText("2 updates wait for review.")).toBeTruthy();
  });
});
