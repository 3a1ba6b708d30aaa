import { afterEach, beforeEach, expect, it, vi } from "vitest";

const scripts = () => [...document.querySelectorAll<HTMLScriptElement>("script[src*='stripe']")];

beforeEach(() => vi.resetModules());
afterEach(() => {
  for (const script of scripts()) script.remove();
  Reflect.deleteProperty(window, "Stripe");
  vi.useRealTimers();
});

it("is loaded once, from the provider itself", async () => {
  const { loadStripe } = await import("./stripe-script");
  const both = [loadStripe(), loadStripe()];
  expect(scripts().map((script) => script.src)).toEqual(["https://js.stripe.com/v3/"]);
  Object.assign(window, { Stripe: () => undefined });
  scripts()[0]?.dispatchEvent(new Event("load"));
  await Promise.all(both);
  await loadStripe();
  expect(scripts()).toHaveLength(1);
});

it.each([
  ["does not come", "error"],
  ["brings nothing", "load"],
])("is reported missing when it %s, and is retried", async (_, event) => {
  const { loadStripe } = await import("./stripe-script");
  const first = loadStripe();
  scripts()[0]?.dispatchEvent(new Event(event));
  await expect(first).rejects.toThrow("Stripe not loaded");
  expect(scripts()).toHaveLength(0);
  const second = loadStripe();
  Object.assign(window, { Stripe: () => undefined });
  scripts()[0]?.dispatchEvent(new Event("load"));
  await expect(second).resolves.toBeUndefined();
});

it("is reported missing when it takes too long", async () => {
  vi.useFakeTimers();
  const { loadStripe } = await import("./stripe-script");
  const [outcome] = await Promise.all([
    loadStripe().then(
      () => null,
      (error: unknown) => error,
    ),
    vi.advanceTimersByTimeAsync(10_000),
  ]);
  expect(String(outcome)).toContain("Stripe not loaded");
});
