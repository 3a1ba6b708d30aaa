import { expect, it, vi } from "vitest";
import { createStore, createStoredChoice } from "./store";

it("calls each listener on every change until it unsubscribes", () => {
  const store = createStore(1);
  const listener = vi.fn<() => void>();
  const stop = store.subscribe(listener);
  store.set(2);
  expect(store.get()).toBe(2);
  expect(listener).toHaveBeenCalledTimes(1);
  stop();
  store.set(3);
  expect(listener).toHaveBeenCalledTimes(1);
});

it("remembers a choice in this browser, without writing the default", () => {
  const unit = createStoredChoice("unit", ["gal", "L"]);
  expect(unit.get()).toBe("gal");
  unit.set("L");
  expect(localStorage.getItem("unit")).toBe("L");
  expect(createStoredChoice("unit", ["gal", "L"]).get()).toBe("L");
  unit.set("gal");
  expect(localStorage.getItem("unit")).toBeNull();
  localStorage.setItem("unit", "barrels");
  expect(unit.get()).toBe("gal");
});
