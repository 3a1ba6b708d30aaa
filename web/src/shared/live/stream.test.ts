import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Topic } from "#/api/gen/hourmeter/events/v1/events_pb";
import { createLiveStream } from "./stream";

const { OPERATOR_UPDATES: updates, EQUIPMENT: equipment } = Topic;

/** A stream that the test controls. */
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
  const stream = createLiveStream(
    (signal) => {
      const stream = new Stream(signal);
      streams.push(stream);
      return stream;
    },
    [updates, equipment],
    refused,
  );
  const received: Topic[][] = [];
  const watch = (topics: Topic[] = [updates, equipment], work?: () => Promise<void>) =>
    stream.watch({
      topics,
      onChanged: (changed) => {
        received.push([...changed]);
        return work?.();
      },
    });
  const last = () => {
    const stream = streams.at(-1);
    if (!stream) throw new Error("no stream was opened");
    return stream;
  };
  return { stream, streams, refused, received, watch, last };
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

it("reports all topics when the stream opens, then what the server sends", async () => {
  const { received, watch, last } = open();
  watch();
  await wait(0);
  expect(received).toEqual([]);
  last().say([]);
  await wait(0);
  expect(received).toEqual([[updates, equipment]]);
  await wait(1_000);
  last().say([updates]);
  await wait(0);
  expect(received).toEqual([[updates, equipment], [updates]]);
  last().say([]);
  await wait(5_000);
  expect(received.length).toBe(2);
});

it("is shared by all watchers, each with its own topics", async () => {
  const { received, streams, watch, last } = open();
  watch([updates]);
  watch([equipment]);
  await wait(0);
  last().say([]);
  await wait(2_000);
  last().say([equipment]);
  await wait(0);
  expect(received).toEqual([[updates], [equipment], [equipment]]);
  expect(streams.length).toBe(1);
});

it("collects changes until the call is done and a pause has passed", async () => {
  const { received, watch, last } = open();
  watch([updates], () => new Promise((resolve) => setTimeout(resolve, 3_000)));
  await wait(0);
  last().say([]);
  await wait(0);
  for (let i = 0; i < 20; i++) {
    last().say([updates]);
    await wait(400);
  }
  expect(received.length).toBe(1);
  await wait(1_000);
  expect(received.length).toBe(2);
});

it("reconnects with growing delays when the stream ends or fails, and then reports all topics", async () => {
  const { received, streams, watch, last } = open();
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
  expect(received.length).toBe(2);
});

it("reconnects with growing delays when every stream is cut after its first message", async () => {
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

it("reconnects soon, but not immediately, after a stable stream", async () => {
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

it("reports all topics on request", async () => {
  const { stream, received, watch, last } = open();
  watch([updates]);
  await wait(0);
  last().say([]);
  await wait(1_000);
  last().say([updates]);
  await wait(1_000);
  stream.refresh();
  await wait(1_000);
  expect(received.length).toBe(3);
});

it("treats 40 seconds of silence as a dead stream", async () => {
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

it("is closed while the tab is hidden, and refetches when it is visible again", async () => {
  const { received, streams, watch, last } = open();
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
  expect(received.length).toBe(2);
});

it("refetches even if the stream can't be opened", async () => {
  const { received, watch, last } = open();
  setVisibility("hidden");
  watch([updates]);
  await wait(1_000);
  setVisibility("visible");
  await wait(0);
  last().say(new TypeError("no network"));
  await wait(3_000);
  expect(received.length).toBe(1);
});

it("reconnects immediately when the network is back", async () => {
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

it("reports a pause only after ten seconds, and not while the tab is hidden", async () => {
  const { stream, watch, last } = open();
  const listener = vi.fn<() => void>();
  stream.paused.subscribe(listener);
  watch();
  await wait(9_900);
  expect(stream.paused.get()).toBe(false);
  await wait(200);
  expect(stream.paused.get()).toBe(true);
  last().say([]);
  await wait(0);
  expect(stream.paused.get()).toBe(false);
  expect(listener).toHaveBeenCalledTimes(2);
  setVisibility("hidden");
  await wait(60_000);
  expect(stream.paused.get()).toBe(false);
});

it("lets the sign-in handle an ended session, and reconnects slowly", async () => {
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

it("survives a change of pages, and closes without watchers", async () => {
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

it("can be refreshed manually", async () => {
  const { stream, received, streams, watch, last } = open();
  watch([equipment]);
  await wait(0);
  last().say(new TypeError("no network"));
  await wait(0);
  stream.refresh();
  await wait(0);
  expect(received).toEqual([[equipment]]);
  expect(streams.length).toBe(2);
});

it("closes while the page is unattended, and catches up when the user is back", async () => {
  const { streams, received, watch, last } = open();
  const stop = watch();
  last().say([]);
  await wait(0);
  const keepAlive = setInterval(() => last().say([]), 15_000);
  await wait(29 * 60_000);
  window.dispatchEvent(new Event("pointerdown"));
  await wait(29 * 60_000);
  expect(last().signal.aborted).toBe(false);
  const before = received.length;
  await wait(2 * 60_000);
  expect(last().signal.aborted).toBe(true);
  expect(streams).toHaveLength(1);
  await wait(60 * 60_000);
  expect(streams).toHaveLength(1);
  expect(received).toHaveLength(before);
  window.dispatchEvent(new Event("keydown"));
  last().say([]);
  await wait(4_000);
  expect(streams).toHaveLength(2);
  expect(received.length).toBeGreaterThan(before);
  clearInterval(keepAlive);
  stop();
});
