import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { changeLanguage } from "#/i18n";
import { toast } from "./store";
import { Toaster } from "./toaster";

beforeEach(async () => {
  await changeLanguage("en");
  vi.useFakeTimers();
  toast.dismiss();
  render(<Toaster />);
});
afterEach(() => {
  act(() => toast.dismiss());
  vi.useRealTimers();
});

const success = (title: string) => act(() => toast.success(title, "Text"));
const shown = () => document.querySelectorAll("[data-swipe-direction]");
const advance = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms);
  });

/** jsdom's pointer events have no position. */
function point(target: Element, type: string, clientX: number) {
  const event = new MouseEvent(type, { bubbles: true, cancelable: true, button: 0, clientX });
  Object.defineProperties(event, {
    pointerId: { value: 1 },
    pointerType: { value: "touch" },
  });
  act(() => {
    target.dispatchEvent(event);
  });
}

function swipe(distance: number) {
  const [root] = shown();
  if (!root) throw new Error("No toast");
  Object.assign(root, {
    setPointerCapture: () => undefined,
    hasPointerCapture: () => false,
    releasePointerCapture: () => undefined,
  });
  point(root, "pointerdown", 0);
  point(root, "pointermove", distance / 2);
  point(root, "pointermove", distance);
  point(root, "pointerup", distance);
  advance(500);
}

describe("toasts", () => {
  it("at most 1 is visible: a newer one replaces it", () => {
    success("Usage Updated");
    success("Note Added");
    expect(shown()).toHaveLength(1);
    expect(screen.getByText("Note Added")).toBeTruthy();
    expect(screen.queryByText("Usage Updated")).toBeNull();
  });

  it("closes after 5000 ms, not before", () => {
    success("Usage Updated");
    advance(4900);
    expect(shown()).toHaveLength(1);
    advance(200);
    expect(shown()).toHaveLength(0);
  });

  it("offers its action for ten seconds, once", () => {
    const run = vi.fn<() => void>();
    act(() => toast.success("Update applied", undefined, { label: "Undo", run }));
    advance(9900);
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(run).toHaveBeenCalledOnce();
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
    act(() => toast.success("Update applied", undefined, { label: "Undo", run }));
    advance(10_100);
    expect(shown()).toHaveLength(0);
  });

  it("is dismissed by a swipe to the right of 50 px", () => {
    success("Usage Updated");
    swipe(49);
    expect(shown()).toHaveLength(1);
    swipe(-80);
    expect(shown()).toHaveLength(1);
    swipe(51);
    expect(shown()).toHaveLength(0);
  });

  it("gets focus by F8", () => {
    success("Usage Updated");
    fireEvent.keyDown(document, { code: "F8", key: "F8" });
    expect(document.activeElement).toBe(screen.getByRole("region").querySelector("ol"));
  });

  it("is at most 420 px wide", () => {
    success("Usage Updated");
    expect(screen.getByRole("region").querySelector("ol")?.className).toMatch(
      /w-\[420px\].*max-w-full/,
    );
  });
});
