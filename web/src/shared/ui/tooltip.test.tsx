import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Tooltip, TooltipProvider } from "./tooltip";

// The popper watches sizes, of which jsdom has none.
class NoSizes {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

beforeEach(() => {
  vi.stubGlobal("ResizeObserver", NoSizes);
  vi.useFakeTimers();
  render(
    <TooltipProvider>
      <Tooltip text="First hint">
        <button type="button">One</button>
      </Tooltip>
      <Tooltip text="Second hint">
        <button type="button">Two</button>
      </Tooltip>
    </TooltipProvider>,
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const enter = (name: string) => fireEvent.pointerMove(screen.getByRole("button", { name }));
/** Left for good: the way to the hint itself would keep it open. */
const leave = (name: string) => {
  fireEvent.keyDown(document, { key: "Escape" });
  fireEvent.pointerLeave(screen.getByRole("button", { name }));
};
const advance = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms);
  });
const text = () => screen.queryByRole("tooltip")?.textContent ?? null;

describe("section 9: tooltips", () => {
  it("open after 700 ms", () => {
    enter("One");
    advance(699);
    expect(text()).toBeNull();
    advance(1);
    expect(text()).toBe("First hint");
  });

  it("open at once beside one that was open within the last 300 ms", () => {
    enter("One");
    advance(700);
    leave("One");
    advance(299);
    enter("Two");
    expect(text()).toBe("Second hint");
    leave("Two");
    advance(301);
    enter("One");
    expect(text()).toBeNull();
  });
});
