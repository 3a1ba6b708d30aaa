import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Button } from "./button";

beforeEach(() => {
  vi.useFakeTimers();
  render(
    <>
      <Button disabledReason="First hint">One</Button>
      <Button disabledReason="Second hint">Two</Button>
    </>,
  );
});
afterEach(() => {
  vi.useRealTimers();
});

const enter = (name: string) => fireEvent.pointerEnter(screen.getByRole("button", { name }));
/** Leaves completely: moving to the tooltip would keep it open. */
const leave = (name: string) => {
  fireEvent.keyDown(document, { key: "Escape" });
  fireEvent.pointerLeave(screen.getByRole("button", { name }));
};
const advance = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms);
  });
const text = () => screen.queryByRole("tooltip")?.textContent ?? null;

describe("tooltips", () => {
  it("open after 700 ms", () => {
    enter("One");
    advance(699);
    expect(text()).toBeNull();
    advance(1);
    expect(text()).toBe("First hint");
  });

  it("open immediately if another was open within the last 300 ms", () => {
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

  it("stay while the pointer is on them, and close a moment after it has left", () => {
    enter("One");
    advance(700);
    fireEvent.pointerLeave(screen.getByRole("button", { name: "One" }));
    advance(50);
    fireEvent.pointerEnter(screen.getByRole("tooltip"));
    advance(1_000);
    expect(text()).toBe("First hint");
    fireEvent.pointerLeave(screen.getByRole("tooltip"));
    advance(100);
    expect(text()).toBeNull();
  });

  it("open immediately by keyboard, one at a time; Escape closes only them", () => {
    const outer = vi.fn<() => void>();
    document.addEventListener("keydown", outer);
    act(() => screen.getByRole("button", { name: "One" }).focus());
    expect(text()).toBe("First hint");
    enter("Two");
    expect(screen.getAllByRole("tooltip").map((tip) => tip.textContent)).toEqual(["Second hint"]);
    fireEvent.keyDown(document.body, { key: "Escape" });
    expect(text()).toBeNull();
    expect(outer).not.toHaveBeenCalled();
    document.removeEventListener("keydown", outer);
  });

  it("do not open by touch or by a press", () => {
    const one = screen.getByRole("button", { name: "One" });
    fireEvent.pointerEnter(one, { pointerType: "touch" });
    fireEvent.pointerDown(one);
    act(() => one.focus());
    fireEvent.pointerUp(one);
    advance(1_000);
    expect(text()).toBeNull();
  });
});
