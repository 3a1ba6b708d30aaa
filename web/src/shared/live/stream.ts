import { toFailure } from "#/api/errors";
import type { Topic } from "#/api/gen/hourmeter/events/v1/events_pb";
import { createStore } from "../store";
import { createAttention } from "./attention";
import { paced } from "./paced";
import { pause, reconnectDelay } from "./reconnect";

/** Topics that have changed, or may have. */
export type Changed = ReadonlySet<Topic>;

interface Watcher {
  topics: readonly Topic[];
  /** Further calls wait for the returned promise. */
  onChanged: (changed: Changed) => unknown;
}

/** Opens a stream from the server until the signal aborts. */
type Open = (signal: AbortSignal) => AsyncIterable<{ changed: readonly Topic[] }>;

/** The server sends at least every 15 seconds. */
const silenceTimeoutMs = 40_000;
/** Navigation between pages must not close the stream. */
const closeDelayMs = 500;
/** How long the stream may be down before the user is notified. */
const pausedAfterMs = 10_000;
/** A tab that becomes visible refetches by then, even if the stream is not open yet. */
const catchUpDelayMs = 3_000;
/** A stream that ends earlier, e.g. cut by a proxy, counts as failed. */
const stableAfterMs = 10_000;

export type LiveStream = ReturnType<typeof createLiveStream>;

/**
 * The change stream of this tab. It is open while there are watchers and the tab is visible and in
 * use: without HTTP/2 a browser has six connections per server, and hidden tabs would exhaust them.
 * Changes that may have been missed are reported as changes of all topics.
 */
export function createLiveStream(open: Open, allTopics: readonly Topic[], onRefused: () => void) {
  const watchers = new Map<Watcher, ReturnType<typeof paced>>();
  let running: AbortController | null = null;
  let wake = () => undefined as void;
  let cut = () => undefined as void;
  const paused = createStore(false);
  let pausing: ReturnType<typeof setTimeout> | undefined;
  let closing: ReturnType<typeof setTimeout> | undefined;
  let catchUp: ReturnType<typeof setTimeout> | undefined;

  function setPaused(next: boolean): void {
    clearTimeout(pausing);
    pausing = undefined;
    if (paused.get() !== next) paused.set(next);
  }

  function markDown(): void {
    pausing ??= setTimeout(() => setPaused(true), pausedAfterMs);
  }

  function notify(changed: readonly Topic[]): void {
    for (const [{ topics }, call] of watchers) {
      const concerned = changed.filter((topic) => topics.includes(topic));
      if (concerned.length > 0) call(concerned);
    }
  }

  /** Listens until the stream ends or fails; returns whether it was stable, and the error. */
  async function listen(signal: AbortSignal): Promise<{ stable: boolean; error?: unknown }> {
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    signal.addEventListener("abort", stop);
    cut = stop;
    let since: number | null = null;
    const stable = () => since !== null && Date.now() - since >= stableAfterMs;
    let last = Date.now();
    // Compares clock times, because timers stop while the computer sleeps.
    const watchdog = setInterval(() => Date.now() - last > silenceTimeoutMs && stop(), 5_000);
    try {
      for await (const { changed } of open(attempt.signal)) {
        last = Date.now();
        setPaused(false);
        clearTimeout(catchUp);
        // Changes before the stream opened were missed.
        if (since === null) notify(allTopics);
        else notify(changed);
        since ??= last;
      }
      return { stable: stable() };
    } catch (error) {
      return { stable: stable(), error };
    } finally {
      clearInterval(watchdog);
      signal.removeEventListener("abort", stop);
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      markDown();
      const { stable, error } = await listen(signal);
      if (signal.aborted) return;
      failures = stable ? 0 : failures + 1;
      const refused = error !== undefined && toFailure(error).status === 401;
      if (refused) onRefused();
      await pause(reconnectDelay(failures, refused), signal, (now) => {
        wake = () => {
          failures = 0;
          now();
        };
      });
    }
  }

  const start = () => {
    if (running || watchers.size === 0 || attention.isLeft()) return;
    if (document.visibilityState === "hidden") return;
    running = new AbortController();
    void run(running.signal);
  };
  const stop = () => {
    running?.abort();
    running = null;
    clearTimeout(catchUp);
    setPaused(false);
  };
  const onVisibility = () => {
    if (document.visibilityState === "hidden") return stop();
    // Switching to the tab counts as use.
    attention.touch();
    catchUp = setTimeout(() => notify(allTopics), catchUpDelayMs);
    start();
  };
  const attention = createAttention(stop, onVisibility);
  const onOnline = () => wake();
  const onOffline = () => cut();

  function listenToTab(on: boolean): void {
    const change = on ? "addEventListener" : "removeEventListener";
    if (on) attention.start();
    else attention.stop();
    document[change]("visibilitychange", onVisibility);
    window[change]("online", onOnline);
    window[change]("offline", onOffline);
  }

  return {
    /** Calls back for every change; returns the function that stops it. */
    watch: (watcher: Watcher): (() => void) => {
      clearTimeout(closing);
      if (watchers.size === 0) listenToTab(true);
      watchers.set(watcher, paced(watcher.onChanged));
      start();
      return () => {
        watchers.get(watcher)?.stop();
        watchers.delete(watcher);
        if (watchers.size > 0) return;
        listenToTab(false);
        closing = setTimeout(stop, closeDelayMs);
      };
    },
    /** Reports all topics as changed and reconnects. */
    refresh: (): void => {
      notify(allTopics);
      wake();
    },
    /** Whether the stream has been down long enough to notify the user. */
    paused: { get: paused.get, subscribe: paused.subscribe },
  };
}
