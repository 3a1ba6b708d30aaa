import type { ComponentType } from "react";
import { whenIdle } from "./idle";
import { loadPersistently } from "./lazy-part";
import { once } from "./once";
import { createStore, useStore, type Store } from "./store";

/** A component whose code is not part of the page that uses it. */
export interface OnDemand<Props> {
  /** Renders nothing until the code is loaded. */
  Component: ComponentType<Props>;
  /** Loads the code once; rejects if it can't be loaded. */
  load: () => Promise<void>;
  code: Store<ComponentType<Props> | null>;
}

export interface Loadable {
  load: () => Promise<void>;
  code: Pick<Store<unknown>, "get" | "subscribe">;
}

/**
 * Loads a component when the first page has settled or when it is first needed, so that it is
 * available before a connection loss.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): OnDemand<Props> {
  const code = createStore<ComponentType<Props> | null>(null);
  const loadCode = once(() => load().then(code.set));
  whenIdle(() => void loadPersistently(loadCode));
  return {
    Component: (props) => {
      const Loaded = code.get();
      return Loaded && <Loaded {...props} />;
    },
    load: loadCode,
    code,
  };
}

/** Whether the code is loaded. */
export function useIsLoaded({ code }: Loadable): boolean {
  return useStore(code) !== null;
}
