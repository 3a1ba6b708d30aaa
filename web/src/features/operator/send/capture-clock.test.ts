import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { OutboxEntry } from "./outbox-entry";

const hour = 3_600_000;
const right = new Date("2026-11-20T09:00:00Z").getTime();

const entry = (more: Partial<OutboxEntry>): OutboxEntry => ({
  clientId: "a",
  capturedAt: new Date().toISOString(),
  equipmentId: "e1",
  equipmentName: "Excavator",
  reading: 10,
  fuelAdded: null,
  fuelKind: "gas",
  notes: "",
  state: "waiting",
  reason: null,
  failures: 0,
  ...more,
});

/** A fresh page. `answer` simulates a server response, `run` advances the time. */
async function openPage() {
  vi.resetModules();
  const server = await import("#/api/server-clock");
  const page = await import("./capture-clock");
  let passed = 0;
  return {
    ...page,
    answer: () => server.noteServerTime(new Date(right + passed).toUTCString()),
    run: async (ms: number) => {
      passed += ms;
      await vi.advanceTimersByTimeAsync(ms);
    },
    capture: () => entry(page.clockAtCapture()),
  };
}

const setClock = (by: number) => vi.setSystemTime(Date.now() + by);

beforeEach(() => vi.useFakeTimers({ now: right }));
afterEach(() => vi.useRealTimers());

it("corrects by the clock error at the capture only", async () => {
  setClock(-3 * hour);
  const { answer, capture, atTrueTime } = await openPage();
  answer();
  const made = capture();
  // The phone's clock is corrected before the entry is sent.
  setClock(3 * hour);
  answer();
  expect(made.clockError).toBe(3 * hour);
  const corrected = { clockChecked: true, capturedAt: "2026-11-20T09:00:00.000Z" };
  expect(atTrueTime(made)).toEqual(corrected);
  expect(atTrueTime({ ...made, ...corrected })).toBeNull();
});

it("keeps a correct time although the clock is wrong at sending", async () => {
  const { answer, capture, atTrueTime } = await openPage();
  answer();
  const made = capture();
  setClock(5 * hour);
  answer();
  expect(atTrueTime(made)).toBeNull();
});

it("uses an error learned later for a capture on this page if the clock was not set", async () => {
  setClock(-3 * hour);
  const { answer, capture, atTrueTime, run } = await openPage();
  const made = capture();
  await run(hour);
  answer();
  expect(atTrueTime(made)?.capturedAt).toBe("2026-11-20T09:00:00.000Z");
});

it("ignores an error learned after the clock was set, and entries of other pages", async () => {
  const { answer, capture, atTrueTime } = await openPage();
  const made = capture();
  setClock(5 * hour);
  answer();
  expect(atTrueTime(made)).toBeNull();
  expect(atTrueTime(entry({ clockError: null, clockMoment: "another" }))).toBeNull();
  expect(atTrueTime(entry({}))).toBeNull();
});

it("forgets the error when the clock is set", async () => {
  const { answer, capture } = await openPage();
  answer();
  setClock(5 * hour);
  expect(capture().clockError).toBeNull();
});

it("needs the server's time only for captures on this page with an unknown error", async () => {
  const { answer, capture, needsServerTime } = await openPage();
  const made = capture();
  expect(needsServerTime(made)).toBe(true);
  expect(needsServerTime({ ...made, clockChecked: true })).toBe(false);
  expect(needsServerTime(entry({ clockError: null, clockMoment: "another" }))).toBe(false);
  answer();
  expect(needsServerTime(made)).toBe(false);
  expect(needsServerTime(capture())).toBe(false);
});
