import { useEffect } from "react";
import * as v from "valibot";
import { updateCached, readCached } from "#/device/database";
import { createStore, useStore, type Store } from "#/shared/store";
import { plainChannel } from "./tab-channel";

interface State {
  /** In the order they were added. */
  ids: readonly string[];
  loaded: boolean;
}

export interface StoredIds {
  state: Pick<Store<State>, "get" | "subscribe">;
  load: () => void;
  add: (ids: readonly string[]) => Promise<void>;
  toggle: (id: string) => Promise<void>;
}

const schema = v.fallback(v.array(v.string()), []);
/** The oldest ids are dropped. */
const maxIds = 500;

/** A set of ids stored on this device, or in memory where storage is not available. */
export function storedIds(key: string): StoredIds {
  const state = createStore<State>({ ids: [], loaded: false });
  let loading: Promise<void> | null = null;
  const tabs = plainChannel(`hourmeter-${key}`);

  const set = (ids: readonly string[]) => state.set({ ids, loaded: true });

  async function read(): Promise<void> {
    const stored = await readCached(key);
    // Without stored ids, those in memory stay valid.
    if (stored !== undefined || !state.get().loaded) set(v.parse(schema, stored));
  }

  async function change(step: (ids: readonly string[]) => readonly string[]): Promise<void> {
    const shown = step(state.get().ids).slice(-maxIds);
    set(shown);
    const stored = await updateCached(key, (ids) => step(v.parse(schema, ids)).slice(-maxIds));
    if (stored === undefined) return;
    set(v.parse(schema, stored));
    tabs.announce();
  }

  tabs.onChange(() => void read());

  return {
    state,
    load: () => void (loading ??= read()),
    add: (added) => change((ids) => [...new Set([...ids, ...added])]),
    toggle: (id) =>
      change((ids) => (ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id])),
  };
}

export function useStoredIds(store: StoredIds): State {
  useEffect(() => store.load(), [store]);
  return useStore(store.state);
}
