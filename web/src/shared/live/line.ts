import { toFailure } from "#/api/errors";
import type { Topic } from "#/api/gen/hourmeter/events/v1/events_pb";
import { createStore } from "../store";
import { createAttention } from "./attention";
import { paced } from "./paced";
import { pause, waitBefore } from "./wait";

/** Of these topics something has changed, or may have. */
export type Changed = ReadonlySet<Topic>;

interface Watcher {
  topics: readonly Topic[];
  /** A promise keeps further calls back until what it began is done. */
  onChanged: (changed: Changed) => unknown;
}

/** One stream from the server, for as long as the signal allows. */
type Open = (signal: AbortSignal) => AsyncIterable<{ changed: readonly Topic[] }>;

/** The server speaks at least every 15 seconds. */
const silence = 40_000;
/** Who left a page for another must not find the line cut. */
const grace = 500;
/** How long a line may be down before anybody is told. */
const patience = 10_000;
/** A tab that comes back is brought up to date by then, whether the line stands or not. */
const longestWait = 3_000;
/** What ends before that, as behind a proxy that cuts, counts as a failure to stand. */
const standing = 10_000;

export type LiveLine = ReturnType<typeof createLine>;

/**
 * The one line of this tab on which the server tells what has changed. It is open while somebody
 * watches, the tab can be seen and somebody has touched it lately: without http2 a browser has six
 * connections to a server, and hidden tabs would use them up. Whatever may have been missed is told as changed.
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

  /** Listens until the stream ends or breaks; answers whether it had stood, and what broke it. */
  async function listen(signal: AbortSignal): Promise<{ stood: boolean; error?: unknown }> {
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    signal.addEventListener("abort", stop);
    cut = stop;
    let since: number | null = null;
    const stood = () => since !== null && Date.now() - since >= standing;
    let last = Date.now();
    // Looked at the clock, since a timer stands still while the machine sleeps.
    const watchdog = setInterval(() => Date.now() - last > silence && stop(), 5_000);
    try {
      for await (const { changed } of open(attempt.signal)) {
        last = Date.now();
        setPaused(false);
        clearTimeout(catchUp);
        // What happened before the line stood has been missed.
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
    // Who turns to a tab looks at it.
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
    /** Calls back for every change until the answered function is called. */
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
    /** Brings everything up to date now, and tries the line again. */
    refresh: (): void => {
      tell(allTopics);
      wake();
    },
    /** Whether the line has been down for so long that it should be said. */
    paused: { get: paused.get, subscribe: paused.subscribe },
  };
}
