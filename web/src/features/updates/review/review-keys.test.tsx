import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { UpdateStatus } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { openDialog } from "#/test/open-dialog";
import { below, update } from "../updates.fixture";
import { focus, gone, key, open, openLive, refetch, row, waiting } from "./review-page.fixture";

describe("keyboard", () => {
  it("decides one row per press, however long the key is held", async () => {
    const calls = await open([update("a"), update("b")]);
    await focus("a");
    key("a", { repeat: true });
    key("r", { repeat: true });
    expect(calls).toEqual([]);
    expect(screen.queryByRole("dialog")).toBeNull();
    key("j", { repeat: true });
    expect(document.activeElement).toBe(await row("b"));
  });

  it("does not decide the neighbor of a row that someone else has just decided", async () => {
    const updates = [update("a"), update("b"), update("c")];
    const calls = await openLive(updates);
    await focus("b");
    const [, taken] = updates;
    if (taken) taken.status = UpdateStatus.REJECTED;
    // A scripted click does not move the focus, like an external change.
    refetch();
    await waitFor(() => expect(document.activeElement?.id).toBe("update-c"));
    key("a");
    expect(calls).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 450));
    key("a");
    await waitFor(() => expect(calls).toEqual([["apply", "c", null]]));
  });

  it("is inactive after a press on the empty page", async () => {
    const calls = await open([update("a")]);
    await focus("a");
    fireEvent.pointerDown(document.body);
    act(() =>
      document.activeElement instanceof HTMLElement ? document.activeElement.blur() : undefined,
    );
    key("a");
    key("r");
    expect(calls).toEqual([]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("moves through rows, and focuses the next one when a row is removed", async () => {
    const calls = await open([update("a"), update("b"), update("c")]);
    key("j");
    expect(document.activeElement).toBe(await row("a"));
    key("ArrowDown");
    expect(document.activeElement).toBe(await row("b"));
    key("k");
    key("j");
    key("a");
    await gone("b");
    await waitFor(() => expect(document.activeElement?.id).toBe("update-c"));
    key("a");
    await waitFor(() => expect(document.activeElement?.id).toBe("update-a"));
    expect(calls).toEqual([
      ["apply", "b", null],
      ["apply", "c", null],
    ]);
  });

  it("returns to the row whose decision is undone", async () => {
    await open([update("a"), update("b"), update("c")]);
    await focus("b");
    key("a");
    await waitFor(() => expect(document.activeElement?.id).toBe("update-c"));
    key("u");
    await waitFor(() => expect(document.activeElement?.id).toBe("update-b"));
    await waiting("b");
    expect((await row("b")).tabIndex).toBe(0);
    key("j");
    expect(document.activeElement).toBe(await row("c"));
  });

  it("has one row in the tab order", async () => {
    await open([update("a"), update("b")]);
    expect((await row("a")).tabIndex).toBe(0);
    expect((await row("b")).tabIndex).toBe(-1);
    const hidden = within(await row("b")).getAllByRole("button");
    expect(hidden.every((button) => button.tabIndex === -1)).toBe(true);
  });

  it("selects, corrects, moves, rejects", async () => {
    await open([update("a"), update("b"), update("c", below)]);
    await focus("a");
    key("x");
    expect(screen.getByText("1 selected")).toBeTruthy();
    await focus("b");
    key("X", { shiftKey: true });
    expect(screen.getByText("2 selected")).toBeTruthy();
    key("e");
    const field = await screen.findByLabelText(/Correct reading/);
    // Typing triggers no shortcut.
    key("r");
    expect(screen.queryByRole("dialog")).toBeNull();
    fireEvent.keyDown(field, { key: "Escape" });
    key("m");
    await screen.findByRole("dialog", { name: "Which machine was it?" });
    key("Escape");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await focus("b");
    key("r");
    await screen.findByRole("dialog", { name: "Reject this update?" });
    key("Escape");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await focus("c");
    key("x");
    expect(screen.getByText("3 selected")).toBeTruthy();
  });

  it("leaves a row to its open form", async () => {
    const calls = await open([update("a")]);
    await focus("a");
    key("e");
    const field = await screen.findByLabelText(/Correct reading/);
    const active = within(await row("a"))
      .getAllByRole("button")
      .filter((button) => !button.closest("[inert]"));
    expect(active.map((button) => button.textContent)).toEqual(["Apply", "Cancel"]);
    await focus("a");
    key("a");
    key("r");
    expect(calls).toEqual([]);
    expect(screen.queryByRole("dialog")).toBeNull();
    fireEvent.keyDown(field, { key: "Escape" });
    key("a");
    await gone("a");
  });

  it("does nothing for a row while the focus is elsewhere", async () => {
    const calls = await open([update("a")]);
    key("a");
    key("r");
    expect(calls).toEqual([]);
    expect(screen.queryByRole("dialog")).toBeNull();
    key("A", { shiftKey: true });
    await screen.findByRole("alertdialog");
  });

  it("shows the keys, and can turn them off", async () => {
    await open([update("a")]);
    key("?", { shiftKey: true });
    const dialog = await openDialog("Keyboard shortcuts");
    expect(dialog.getByText("Other machine")).toBeTruthy();
    fireEvent.click(dialog.getByRole("switch", { name: "Single-key shortcuts" }));
    fireEvent.click(dialog.getByRole("button", { name: "Close" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await focus("a");
    key("r");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(localStorage.getItem("reviewKeys")).toBe("off");
  });
});
