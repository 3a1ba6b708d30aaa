import { act, render, renderHook, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rowId, useActiveRow } from "./use-active-row";

describe("the focus after a dialog", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function List({ rows }: { rows: readonly string[] }) {
    const { restoreFocus } = useActiveRow(rows);
    return (
      <>
        <button onClick={restoreFocus}>Close</button>
        {rows.map((id) => (
          <div key={id} id={rowId(id)} role="row" tabIndex={-1}>
            {id}
          </div>
        ))}
      </>
    );
  }

  it("goes to the row if nothing else has it", () => {
    render(<List rows={["a", "b"]} />);
    act(() => screen.getByRole("button").click());
    act(() => void vi.runAllTimers());
    expect(document.activeElement).toBe(screen.getByText("a"));
  });

  it("goes to the row from the page's heading", () => {
    render(
      <>
        <h1 tabIndex={-1}>Review</h1>
        <List rows={["a", "b"]} />
      </>,
    );
    screen.getByRole("heading").focus();
    act(() => screen.getByRole("button").click());
    act(() => void vi.runAllTimers());
    expect(document.activeElement).toBe(screen.getByText("a"));
  });

  it("stays on a focused element", () => {
    render(<List rows={["a", "b"]} />);
    screen.getByText("b").focus();
    act(() => screen.getByRole("button").click());
    act(() => void vi.runAllTimers());
    expect(document.activeElement).toBe(screen.getByText("b"));
  });

  it("is not restored after the page was left", () => {
    const { result, unmount } = renderHook(() => useActiveRow(["a"]));
    result.current.restoreFocus();
    result.current.restoreFocus();
    expect(vi.getTimerCount()).toBe(1);
    unmount();
    expect(vi.getTimerCount()).toBe(0);
  });
});
