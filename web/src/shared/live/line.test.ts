import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Topic } from "#/api/gen/hourmeter/events/v1/events_pb";
import { createLine } from "./line";

const { OPERATOR_UPDATES: updates, EQUIPMENT: equipment } = Topic;

/** One stream that the test speaks on, ends and breaks. */
class Stream {
  private waiting: Array<() => void> = [];
  private said: Array<{ changed: Topic[] } | "end" | Error> = [];
  readonly signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.signal = signal;
    signal.addEventListener("abort", () => this.say(new DOMException("cut", "AbortError")));
  }

  say(what: Topic[] | "end" | Error): void {
    this.said.push(Array.isArray(what) ? { changed: what } : what);
    for (const go of this.waiting.splice(0)) go();
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      const next = this.said.shift();
      if (next === "end") return;
      if (next instanceof Error) throw next;
      if (next) yield next;
      else await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }
}

let visibility: DocumentVisibilityState = "visible";
const setVisibility = (next: DocumentVisibilityState) => {
  visibility = next;
  document.dispatchEvent(new Event("visibilitychange"));
};

function open() {
  const streams: Stream[] = [];
  const refused = vi.fn<() => void>();
  const line = createLine(
    (signal) => {
      const stream = new Stream(signal);
      streams.push(stream);
      return stream;
    },
    [updates, equipment],
    refused,
  );
  const heard: Topic[][] = [];
  const watch = (topics: Topic[] = [updates, equipment], work?: () => Promise<void>) =>
    line.watch({
      topics,
      onChanged: (changed) => {
        heard.push([...changed]);
        return work?.();
      },
    });
  const last = () => {
    const stream = streams.at(-1);
    if (!stream) throw new Error("no stream was opened");
    return stream;
  };
  return { line, streams, refused, heard, watch, last };
}

const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  visibility = "visible";
  vi.spyOn(document, "visibilityState", "get").mockImplementation(() => visibility);
});

afterEach(() => {
  setVisibility("hidden");
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("tells everything as changed once the line stands, then what the server says", async () => {
  const { heard, watch, last } = open();
  watch();
  await wait(0);
  expect(heard).toEqual([]);
  last().say([]);
  await wait(0);
  expect(heard).toEqual([[updates, equipment]]);
  await wait(1_000);
  last().say([updates]);
  await wait(0);
  expect(heard).toEqual([[updates, equipment], [updates]]);
  last().say([]);
  await wait(5_000);
  expect(heard.length).toBe(2);
});

it("is one for all who watch, and each hears of its own topics", async () => {
  const { heard, streams, watch, last } = open();
  watch([updates]);
  watch([equipment]);
  await wait(0);
  last().say([]);
  await wait(2_000);
  last().say([equipment]);
  await wait(0);
  expect(heard).toEqual([[updates], [equipment], [equipment]]);
  expect(streams.length).toBe(1);
});

it("gathers what follows until the work is done and a while has passed", async () => {
  const { heard, watch, last } = open();
  watch([updates], () => new Promise((resolve) => setTimeout(resolve, 3_000)));
  await wait(0);
  last().say([]);
  await wait(0);
  for (let i = 0; i < 20; i++) {
    last().say([updates]);
    await wait(400);
  }
  expect(heard.length).toBe(1);
  await wait(1_000);
  expect(heard.length).toBe(2);
});

it("opens anew when the stream ends or breaks, less and less often, and then tells everything", async () => {
  const { heard, streams, watch, last } = open();
  watch([updates]);
  await wait(0);
  last().say([]);
  await wait(2_000);
  last().say("end");
  await wait(1_000);
  expect(streams.length).toBe(2);
  last().say(new TypeError("no network"));
  await wait(2_000);
  expect(streams.length).toBe(3);
  last().say(new TypeError("no network"));
  await wait(1_900);
  expect(streams.length).toBe(3);
  await wait(2_100);
  expect(streams.length).toBe(4);
  last().say([]);
  await wait(0);
  expect(heard.length).toBe(2);
});

it("opens less and less often when every line is cut right after its first word", async () => {
  const { streams, watch, last } = open();
  watch([updates]);
  for (let i = 0; i < 240; i++) {
    await wait(0);
    last().say([]);
    last().say("end");
    await wait(500);
  }
  // Two minutes: 1 + 2 + 4 + 8 + 16 + 30 + 30 seconds at the longest.
  expect(streams.length).toBeLessThan(14);
});

it("comes back soon, but not at once, after a line that had stood for a while", async () => {
  const { streams, watch, last } = open();
  const random = vi.spyOn(Math, "random").mockReturnValue(0.9);
  watch([updates]);
  for (let i = 1; i < 4; i++) {
    await wait(0);
    last().say([]);
    await wait(10_000);
    last().say("end");
    await wait(2_600);
    expect(streams.length).toBe(i);
    await wait(200);
    expect(streams.length).toBe(i + 1);
  }
  random.mockReturnValue(0);
  last().say([]);
  await wait(10_000);
  last().say("end");
  await wait(10);
  expect(streams.length).toBe(5);
});

it("tells everything again when it is asked to", async () => {
  const { line, heard, watch, last } = open();
  watch([updates]);
  await wait(0);
  last().say([]);
  await wait(1_000);
  last().say([updates]);
  await wait(1_000);
  line.refresh();
  await wait(1_000);
  expect(heard.length).toBe(3);
});

it("takes 40 seconds of silence for a dead line", async () => {
  const { streams, watch, last } = open();
  watch();
  await wait(0);
  last().say([]);
  for (let i = 0; i < 6; i++) {
    await wait(15_000);
    last().say([]);
  }
  expect(streams.length).toBe(1);
  await wait(49_000);
  expect(streams[0]?.signal.aborted).toBe(true);
  expect(streams.length).toBe(2);
});

it("is closed while the tab is hidden, and brings the page up to date when it is back", async () => {
  const { heard, streams, watch, last } = open();
  watch([updates]);
  await wait(0);
  last().say([]);
  await wait(2_000);
  setVisibility("hidden");
  expect(last().signal.aborted).toBe(true);
  await wait(60_000);
  expect(streams.length).toBe(1);
  setVisibility("visible");
  await wait(0);
  expect(streams.length).toBe(2);
  last().say([]);
  await wait(10_000);
  expect(heard.length).toBe(2);
});

it("brings the page up to date even when the line can't be opened", async () => {
  const { heard, watch, last } = open();
  setVisibility("hidden");
  watch([updates]);
  await wait(1_000);
  setVisibility("visible");
  await wait(0);
  last().say(new TypeError("no network"));
  await wait(3_000);
  expect(heard.length).toBe(1);
});

it("does not wait when the network is back", async () => {
  const { streams, watch, last } = open();
  watch();
  await wait(0);
  window.dispatchEvent(new Event("offline"));
  await wait(0);
  expect(last().signal.aborted).toBe(true);
  for (let i = 0; i < 8; i++) {
    last().say(new TypeError("no network"));
    await wait(30_000);
  }
  last().say(new TypeError("no network"));
  await wait(0);
  const before = streams.length;
  window.dispatchEvent(new Event("online"));
  await wait(0);
  expect(streams.length).toBe(before + 1);
});

it("says only after ten seconds that the line is down, and not while the tab is hidden", async () => {
  const { line, watch, last } = open();
  const listener = vi.fn<() => void>();
  line.paused.subscribe(listener);
  watch();
  await wait(9_900);
  expect(line.paused.get()).toBe(false);
  await wait(200);
  expect(line.paused.get()).toBe(true);
  last().say([]);
  await wait(0);
  expect(line.paused.get()).toBe(false);
  expect(listener).toHaveBeenCalledTimes(2);
  setVisibility("hidden");
  await wait(60_000);
  expect(line.paused.get()).toBe(false);
});

it("leaves an ended session to the sign-in, and does not press", async () => {
  const { streams, refused, watch, last } = open();
  const leave = watch();
  await wait(0);
  last().say(new ConnectError("Please sign in.", Code.Unauthenticated));
  await wait(0);
  expect(refused).toHaveBeenCalledTimes(1);
  await wait(14_000);
  expect(streams.length).toBe(1);
  leave();
  await wait(120_000);
  expect(streams.length).toBe(1);
});

it("outlives a change of pages, and closes when nobody watches any more", async () => {
  const { streams, watch } = open();
  const leave = watch();
  await wait(0);
  leave();
  await wait(100);
  const leaveAgain = watch();
  await wait(5_000);
  expect(streams.length).toBe(1);
  leaveAgain();
  await wait(600);
  expect(streams[0]?.signal.aborted).toBe(true);
});

it("can be asked to refresh by hand", async () => {
  const { line, heard, streams, watch, last } = open();
  watch([equipment]);
  await wait(0);
  last().say(new TypeError("no network"));
  await wait(0);
  line.refresh();
  await wait(0);
  expect(heard).toEqual([[equipment]]);
  expect(streams.length).toBe(2);
});

it("lets the line go while nobody touches the page, and catches up when somebody is back", async () => {
  const { streams, heard, watch, last } = open();
  const stop = watch();
  last().say([]);
  await wait(0);
  const speaking = setInterval(() => last().say([]), 15_000);
  await wait(29 * 60_000);
  window.dispatchEvent(new Event("pointerdown"));
  await wait(29 * 60_000);
  expect(last().signal.aborted).toBe(false);
  const before = heard.length;
  await wait(2 * 60_000);
  expect(last().signal.aborted).toBe(true);
  expect(streams).toHaveLength(1);
  await wait(60 * 60_000);
  expect(streams).toHaveLength(1);
  expect(heard).toHaveLength(before);
  window.dispatchEvent(new Event("keydown"));
  last().say([]);
  await wait(4_000);
  expect(streams).toHaveLength(2);
  expect(heard.length).toBeGreaterThan(before);
  clearInterval(speaking);
  stop();
});
