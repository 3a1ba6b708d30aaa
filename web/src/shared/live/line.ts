import { toFailure } from "#/api/errors";
import type { Topic } from "#/api/gen/hourmeter/events/v1/events_pb";
import { createStore } from "../store";
import { createAttention } from "./attention";
import { paced } from "./paced";
import { pause, waitBefore } from "./wait";

/** Topics that have changed, or may have. */
export type Changed = ReadonlySet<Topic>;

interface Watcher {
  topics: readonly Topic[];
  /** Further calls wait for the returned promise. */
  onChanged: (changed: Changed) => unknown;
}

/** One stream from the server, for as long as the signal allows. */
type Open = (signal: AbortSignal) => AsyncIterable<{ changed: readonly Topic[] }>;

/** The server sends at least every 15 seconds. */
const silence = 40_000;
/** Navigation between pages must not close the stream. */
const grace = 500;
/** How long the stream may be down before the user is notified. */
const patience = 10_000;
/** A tab that becomes visible refetches by then, even if the stream is not open yet. */
const longestWait = 3_000;
/** A stream that ends earlier, e.g. cut by a proxy, counts as failed. */
const standing = 10_000;

export type LiveLine = ReturnType<typeof createLine>;

/**
 * The change stream of this tab. It is open while there are watchers and the tab is visible and in
 * use: without HTTP/2 a browser has six connections per server, and hidden tabs would exhaust them.
 * Changes that may have been missed are reported as changes of all topics.
 */
export function createLine(open: Open, allTopics: readonly Topic[], onRefused: () => void) {
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

  function isDown(): void {
    pausing ??= setTimeout(() => setPaused(true), patience);
  }

  function tell(changed: readonly Topic[]): void {
    for (const [{ topics }, call] of watchers) {
      const concerned = changed.filter((topic) => topics.includes(topic));
      if (concerned.length > 0) call(concerned);
    }
  }

  /** Listens until the stream ends or fails; returns whether it was stable, and the error. */
  async function listen(signal: AbortSignal): Promise<{ stood: boolean; error?: unknown }> {
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    signal.addEventListener("abort", stop);
    cut = stop;
    let since: number | null = null;
    const stood = () => since !== null && Date.now() - since >= standing;
    let last = Date.now();
    // Compares clock times, because timers stop while the computer sleeps.
    const watchdog = setInterval(() => Date.now() - last > silence && stop(), 5_000);
    try {
      for await (const { changed } of open(attempt.signal)) {
        last = Date.now();
        setPaused(false);
        clearTimeout(catchUp);
        // Changes before the stream opened were missed.
        if (since === null) tell(allTopics);
        else tell(changed);
        since ??= last;
      }
      return { stood: stood() };
    } catch (error) {
      return { stood: stood(), error };
    } finally {
      clearInterval(watchdog);
      signal.removeEventListener("abort", stop);
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      isDown();
      const { stood, error } = await listen(signal);
      if (signal.aborted) return;
      failures = stood ? 0 : failures + 1;
      const refused = error !== undefined && toFailure(error).status === 401;
      if (refused) onRefused();
      await pause(waitBefore(failures, refused), signal, (now) => {
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
    catchUp = setTimeout(() => tell(allTopics), longestWait);
    start();
  };
  const attention = createAttention(stop, onVisibility);
  const onOnline = () => wake();
  const onOffline = () => cut();

  function listenToTheTab(on: boolean): void {
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
      if (watchers.size === 0) listenToTheTab(true);
      watchers.set(watcher, paced(watcher.onChanged));
      start();
      return () => {
        watchers.get(watcher)?.stop();
        watchers.delete(watcher);
        if (watchers.size > 0) return;
        listenToTheTab(false);
        closing = setTimeout(stop, grace);
      };
    },
    /** Reports all topics as changed and reconnects. */
    refresh: (): void => {
      tell(allTopics);
      wake();
    },
    /** Whether the stream has been down long enough to notify the user. */
    paused: { get: paused.get, subscribe: paused.subscribe },
  };
}
