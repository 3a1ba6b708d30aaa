import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { UndoableDecision } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { currentToast } from "#/shared/toast/store";
import { openDialog } from "#/test/open-dialog";
import { below, pickup, update } from "../updates.fixture";
import { gone, open, press, row } from "./review-page.fixture";

describe("bulk apply", () => {
  it("applies the selected updates and shows failures by row", async () => {
    const calls = await open([update("good"), update("bad", pickup), update("below", below)], {
      refuse: ["bad"],
    });
    fireEvent.click(screen.getByLabelText("Select all"));
    expect(screen.getByText("3 selected")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Apply 2 of 3 selected" }));
    expect((await screen.findByRole("alert")).textContent).toContain(
      "This update is being applied.",
    );
    expect(calls).toEqual([["applyMany", "bad", "good"]]);
    expect(screen.getByText("1 could not be applied and stays here with its reason.")).toBeTruthy();
    await gone("good");
    const summary = screen.getByText("1 update applied").closest<HTMLElement>("[role=status]");
    if (!summary) throw new Error("no summary");
    fireEvent.click(within(summary).getByRole("button", { name: "Dismiss" }));
    expect(summary.isConnected).toBe(false);
  });

  it("selects a range with Shift, and a machine by its header", async () => {
    await open(["a", "b", "c", "d"].map((id) => update(id)));
    const box = async (id: string) => within(await row(id)).getByRole("checkbox");
    fireEvent.click(await box("a"));
    fireEvent.click(await box("c"), { shiftKey: true });
    expect(screen.getByText("3 selected")).toBeTruthy();
    fireEvent.click(screen.getByLabelText("Select all updates for Excavator"));
    expect(screen.getByText("4 selected")).toBeTruthy();
  });

  it("applies all unflagged updates after one confirmation, until none is left", async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `u${index}`);
    const calls = await open(
      [update("flag", { flags: ["jump"] }), ...ids.map((id) => update(id))],
      {
        answers: 8,
      },
    );
    fireEvent.click(screen.getByRole("button", { name: "Apply all unflagged (12)" }));
    const dialog = await openDialog(undefined, "alertdialog");
    expect(dialog.getByText(/undo it for a minute/)).toBeTruthy();
    fireEvent.click(dialog.getByRole("button", { name: "Apply all" }));
    await screen.findAllByText("12 updates applied");
    expect(calls.map((call) => (Array.isArray(call) ? call.length - 1 : 0))).toEqual([7, 5]);
    await row("flag");
  });
});

describe("filter", () => {
  it("shows only unflagged updates, which can be applied together", async () => {
    const calls = await open([update("flag", { flags: ["jump"] }), update("a"), update("b")]);
    const filter = screen.getByRole("button", { name: "Only unflagged" });
    fireEvent.click(filter);
    expect(filter.getAttribute("aria-pressed")).toBe("true");
    await gone("flag");
    await row("b");
    fireEvent.click(screen.getByRole("button", { name: "Apply all unflagged (2)" }));
    const dialog = within(await screen.findByRole("alertdialog"));
    fireEvent.click(dialog.getByRole("button", { name: "Apply all" }));
    await screen.findByText("No unflagged updates");
    expect(screen.getByText(/Turn off “Only unflagged” to see them/)).toBeTruthy();
    expect(calls).toEqual([["applyMany", "a", "b"]]);
    act(() => currentToast()?.action?.run());
    await row("a");
    expect(calls.at(-1)).toEqual(["undo", UndoableDecision.APPLICATION, "a", "b"]);
    fireEvent.click(screen.getByRole("button", { name: "Only unflagged" }));
    await row("flag");
  });
});

describe("bulk reject", () => {
  const reject = async (reason: string) => {
    fireEvent.click(screen.getByLabelText("Select all"));
    fireEvent.click(screen.getByRole("button", { name: "Reject selected" }));
    const dialog = await openDialog(/^Reject \d+ updates\?$/);
    fireEvent.change(dialog.getByLabelText(/^Reason/), { target: { value: reason } });
    fireEvent.click(dialog.getByRole("button", { name: "Reject" }));
  };

  it("rejects all selected ones with one reason, also flagged ones, and undoes it", async () => {
    const calls = await open([
      update("a"),
      update("b", { flags: ["repeated"] }),
      update("c", below),
    ]);
    await reject("Sent twice");
    await screen.findByText("Nothing to review");
    expect(currentToast()?.title).toBe("3 updates rejected");
    act(() => currentToast()?.action?.run());
    await row("c");
    const [rejected, undone] = calls;
    expect(rejected).toEqual(["rejectMany", "Sent twice", "a", "b", "c"]);
    expect(undone).toEqual(["undo", UndoableDecision.REJECTION, "a", "b", "c"]);
  });

  it("repeats the undo for those that the server did not reach", async () => {
    const calls = await open([update("a"), update("b"), update("c")], { undoAtOnce: 2 });
    await reject("Sent twice");
    await screen.findByText("Nothing to review");
    act(() => currentToast()?.action?.run());
    await row("c");
    expect(calls.slice(1)).toEqual([
      ["undo", UndoableDecision.REJECTION, "a", "b", "c"],
      ["undo", UndoableDecision.REJECTION, "c"],
    ]);
    expect(currentToast()?.title).toBe("3 decisions undone");
    // The next decision removes the result of the earlier one.
    await press("c", "Apply");
    await waitFor(() => expect(currentToast()).toBeNull());
  });

  it("keeps the typed reason if the call fails", async () => {
    const calls = await open([update("a"), update("b")], { failReject: [true] });
    await reject("Sent twice");
    const dialog = within(await screen.findByRole("dialog", { name: "Reject 2 updates?" }));
    expect(await dialog.findByRole("alert")).toBeTruthy();
    expect(dialog.getByLabelText(/^Reason/)).toHaveProperty("value", "Sent twice");
    fireEvent.click(dialog.getByRole("button", { name: "Reject" }));
    await screen.findByText("Nothing to review");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(calls).toHaveLength(2);
  });

  it("shows those that were refused with their reason", async () => {
    await open([update("a"), update("b")], { refuse: ["b"] });
    await reject("Sent twice");
    expect(await screen.findByText(/1 could not be rejected and stays here/)).toBeTruthy();
    await gone("a");
    expect((await row("b")).textContent).toContain("This update is being applied.");
  });

  it("offers no bulk apply of updates that need a value", async () => {
    await open([update("c", below)]);
    fireEvent.click(screen.getByLabelText("Select all"));
    const apply = screen.getByRole("button", { name: "Apply selected" });
    expect(apply.getAttribute("aria-disabled")).toBe("true");
    expect(screen.getByText(/in another unit needs its own decision/)).toBeTruthy();
  });
});

describe("bulk apply with failures", () => {
  it("skips updates with a decision in progress, and applies the rest", async () => {
    const free = Promise.withResolvers<void>();
    const calls = await open([update("a"), update("b")], { gateApply: () => free.promise });
    await press("a", "Apply");
    fireEvent.click(screen.getByLabelText("Select all"));
    fireEvent.click(screen.getByRole("button", { name: "Apply selected" }));
    await screen.findAllByText("1 update applied");
    expect(calls).toEqual([
      ["apply", "a", null],
      ["applyMany", "b"],
    ]);
    free.resolve();
    await gone("a");
  });

  it("reports no success if nothing was applied, and keeps the selection", async () => {
    const free = Promise.withResolvers<void>();
    await open([update("a")], { gateApply: () => free.promise });
    await press("a", "Apply");
    fireEvent.click(screen.getByLabelText("Select all"));
    fireEvent.click(screen.getByRole("button", { name: "Apply selected" }));
    await screen.findAllByText("Already being processed.");
    expect(screen.queryByText("0 updates applied")).toBeNull();
    expect(screen.getByText("1 selected")).toBeTruthy();
    free.resolve();
    await gone("a");
  });

  it("does not report an unknown outcome as refused", async () => {
    await open([update("a"), update("b", { flags: ["jump"] })], { answerLost: true });
    fireEvent.click(screen.getByRole("button", { name: "Apply all unflagged (1)" }));
    fireEvent.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Apply all" }),
    );
    await screen.findAllByText(/The server didn't respond for 1 update/);
    expect(screen.queryByText(/could not be applied/)).toBeNull();
    await gone("a");
    await row("b");
  });

  it("finds unflagged updates beyond a screen of flagged ones", async () => {
    const flagged = ["f1", "f2", "f3"].map((id) => update(id, { flags: ["jump"] }));
    const calls = await open([...flagged, update("a"), update("b")], { answers: 3 });
    fireEvent.click(screen.getByRole("button", { name: "Apply all unflagged (2)" }));
    fireEvent.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Apply all" }),
    );
    await screen.findAllByText("2 updates applied");
    expect(calls).toEqual([["applyMany", "a", "b"]]);
  });
});
