import { act, fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { belowFold } from "./below-fold";

let settle: () => void = () => undefined;
vi.mock("#/shared/idle", () => ({
  whenIdle: (work: () => void) => {
    settle = work;
  },
}));

let cross: (isIntersecting: boolean) => void;
beforeEach(() => {
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(seen: (entries: Array<{ isIntersecting: boolean }>) => void) {
        cross = (isIntersecting) => seen([{ isIntersecting }]);
      }
      observe() {}
      disconnect() {}
    },
  );
  return () => vi.unstubAllGlobals();
});

function page() {
  const load = vi.fn<() => Promise<() => string>>(() => Promise.resolve(() => "Fuel"));
  return { load, Part: belowFold(load, "10rem") };
}
const shown = () => screen.findByText("Fuel");

test("a part is loaded when it is near the window, and immediately the next time", async () => {
  const { load, Part } = page();
  const { unmount } = render(<Part ready props={{}} />);
  act(() => cross(false));
  expect(load).not.toHaveBeenCalled();
  act(() => cross(true));
  expect(await shown()).toBeTruthy();
  unmount();
  render(<Part ready props={{}} />);
  expect(screen.getByText("Fuel")).toBeTruthy();
});

test("a part waits for the height of what is above", async () => {
  const { load, Part } = page();
  const { rerender } = render(<Part ready={false} props={{}} />);
  expect(load).not.toHaveBeenCalled();
  rerender(<Part ready props={{}} />);
  act(() => cross(true));
  expect(await shown()).toBeTruthy();
});

test.each([
  ["when the page has settled", () => settle()],
  ["for paper", () => fireEvent(window, new Event("beforeprint"))],
])("a part is loaded %s", async (_, happen) => {
  const { Part } = page();
  render(<Part ready props={{}} />);
  act(happen);
  expect(await shown()).toBeTruthy();
});

test("a part that can't be loaded is requested again by a press", async () => {
  const { load, Part } = page();
  load.mockRejectedValueOnce(new Error("offline"));
  render(<Part ready props={{}} />);
  act(() => cross(true));
  fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
  expect(await shown()).toBeTruthy();
});
