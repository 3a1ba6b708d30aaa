import { lazy, type ComponentType } from "react";

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

/** Loads code, and tries again while there is no connection: a page in the field outlives breaks. */
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

/** A component that the first screen does without. `React.lazy` alone gives up after one failure. */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await loadPersistently(load) }));
}
