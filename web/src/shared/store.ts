import { useSyncExternalStore } from "react";

/** An observable value outside of components. */
export interface Store<Value> {
  get: () => Value;
  set: (next: Value) => void;
  /** Returns a function that removes the listener. */
  subscribe: (listener: () => void) => () => void;
}

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A choice in local storage. The first one is the default and is not stored. */
export function createStoredChoice<Choice extends string>(
  key: string,
  choices: readonly [Choice, ...Choice[]],
): Store<Choice> {
  const read = () => {
    const stored = localStorage.getItem(key);
    return choices.find((choice) => choice === stored) ?? choices[0];
  };
  const { set, subscribe } = createStore(choices[0]);
  return {
    get: read,
    set(next) {
      if (next === choices[0]) localStorage.removeItem(key);
      else localStorage.setItem(key, next);
      set(next);
    },
    subscribe,
  };
}

export function useStore<Value>({ get, subscribe }: Pick<Store<Value>, "get" | "subscribe">) {
  return useSyncExternalStore(subscribe, get);
}
