import { useEffect, useSyncExternalStore } from "react";
import * as v from "valibot";
import { changeKept, readKept } from "#/device/database";
import { plainChannel } from "./tab-channel";

interface State {
  /** In the order they were added. */
  ids: readonly string[];
  loaded: boolean;
}

export interface KeptIds {
  subscribe: (listener: () => void) => () => void;
  state: () => State;
  load: () => void;
  add: (ids: readonly string[]) => Promise<void>;
  toggle: (id: string) => Promise<void>;
}

const schema = v.fallback(v.array(v.string()), []);
/** The oldest go; nobody pins or misses more. */
const most = 500;

/** A set of ids that lies on this device; in memory where the browser keeps nothing. */
export function keptIds(key: string): KeptIds {
  let state: State = { ids: [], loaded: false };
  let loading: Promise<void> | null = null;
  const listeners = new Set<() => void>();
  const tabs = plainChannel(`hourmeter-${key}`);

  function set(ids: readonly string[]): void {
    state = { ids, loaded: true };
    for (const listener of listeners) listener();
  }

  async function read(): Promise<void> {
    const stored = await readKept(key);
    // What is not stored any more, or never could be, is still true on this page.
    if (stored !== undefined || !state.loaded) set(v.parse(schema, stored));
  }

  async function change(step: (ids: readonly string[]) => readonly string[]): Promise<void> {
    const shown = step(state.ids).slice(-most);
    set(shown);
    const stored = await changeKept(key, (ids) => step(v.parse(schema, ids)).slice(-most));
    if (stored === undefined) return;
    set(v.parse(schema, stored));
    tabs.announce();
  }

  tabs.onChange(() => void read());

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => state,
    load: () => void (loading ??= read()),
    add: (added) => change((ids) => [...new Set([...ids, ...added])]),
    toggle: (id) =>
      change((ids) => (ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id])),
  };
}

export function useKeptIds(store: KeptIds): State {
  useEffect(() => store.load(), [store]);
  return useSyncExternalStore(store.subscribe, store.state);
}
