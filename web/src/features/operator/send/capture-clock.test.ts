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

/** A page that has just been opened; `answer` is one of the server, `run` lets time go by. */
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

it("corrects by the error that was known when it was captured, and only by that", async () => {
  setClock(-3 * hour);
  const { answer, capture, atTrueTime } = await openPage();
  answer();
  const made = capture();
  // The phone finds its time again before the entry is sent.
  setClock(3 * hour);
  answer();
  expect(made.clockError).toBe(3 * hour);
  const corrected = { clockChecked: true, capturedAt: "2026-11-20T09:00:00.000Z" };
  expect(atTrueTime(made)).toEqual(corrected);
  expect(atTrueTime({ ...made, ...corrected })).toBeNull();
});

it("leaves a right time alone, though the clock is wrong when it is sent", async () => {
  const { answer, capture, atTrueTime } = await openPage();
  answer();
  const made = capture();
  setClock(5 * hour);
  answer();
  expect(atTrueTime(made)).toBeNull();
});

it("takes what is learnt later for one captured on this page, while the clock only ran on", async () => {
  setClock(-3 * hour);
  const { answer, capture, atTrueTime, run } = await openPage();
  const made = capture();
  await run(hour);
  answer();
  expect(atTrueTime(made)?.capturedAt).toBe("2026-11-20T09:00:00.000Z");
});

it("never corrects by what is learnt after the clock was set, or of another page's entry", async () => {
  const { answer, capture, atTrueTime } = await openPage();
  const made = capture();
  setClock(5 * hour);
  answer();
  expect(atTrueTime(made)).toBeNull();
  expect(atTrueTime(entry({ clockError: null, clockMoment: "another" }))).toBeNull();
  expect(atTrueTime(entry({}))).toBeNull();
});

it("does not know the error any more once the clock was set", async () => {
  const { answer, capture } = await openPage();
  answer();
  setClock(5 * hour);
  expect(capture().clockError).toBeNull();
});

it("wants the server's time only for what was captured on this page while that was unknown", async () => {
  const { answer, capture, needsServerTime } = await openPage();
  const made = capture();
  expect(needsServerTime(made)).toBe(true);
  expect(needsServerTime({ ...made, clockChecked: true })).toBe(false);
  expect(needsServerTime(entry({ clockError: null, clockMoment: "another" }))).toBe(false);
  answer();
  expect(needsServerTime(made)).toBe(false);
  expect(needsServerTime(capture())).toBe(false);
});
