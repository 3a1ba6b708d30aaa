import { lazy, type ComponentType } from "react";
import { whenIdle } from "./idle";

const retryMs = 5_000;

/** Resolves when the connection is back, or after some seconds. */
function nextChance(): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      window.removeEventListener("online", go);
      resolve();
    };
    const timer = setTimeout(go, retryMs);
    window.addEventListener("online", go);
  });
}

/** Loads code and retries without a connection, so that pages in the field survive outages. */
export async function loadPersistently<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      console.warn("A part of the page could not be loaded", error);
      await nextChance();
    }
  }
}

/**
 * A component that the first screen does not need. Unlike `React.lazy`, it retries after a failure.
 */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await loadPersistently(load) }));
}

/** The same for code that loads when the first page had time to load. */
export function idlePart<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazyPart(async () => {
    await new Promise<void>(whenIdle);
    return load();
  });
}
