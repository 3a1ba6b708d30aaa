import { changeKept, writeKept } from "#/device/database";
import { keptKeys } from "#/device/person";
import { createStore, type Store } from "#/shared/store";
import {
  emptyDesktop,
  readDesktop,
  storedDesktop,
  withDraft,
  withoutDraft,
  type Desktop,
  type Draft,
} from "./draft";
import { perPerson, type PersonTools } from "../offline-data/per-person";
import { plainChannel } from "../send/tab-channel";

export interface DraftsState extends Desktop {
  /** Whether there is something to show, be it that the device does not answer. */
  loaded: boolean;
  /** Whether what lies on the device has been read. */
  known: boolean;
}

/** What one person has begun to write, in memory at once and on the device soon after. */
export interface Drafts {
  subscribe: Store<DraftsState>["subscribe"];
  state: () => DraftsState;
  /** Reads what lies on the device, as other tabs may have left it. */
  refresh: () => Promise<void>;
  put: (draft: Draft) => void;
  /** It was submitted or discarded, if there is one; at once, or it would come back with a reload. */
  drop: (id: string) => void;
  /** What is corrected in it is there no more. */
  dropForm: (key: string) => void;
  /** Stores what is not stored yet. */
  flush: () => void;
  /** Begins hearing of other tabs, and storing when the page goes; answers how to end it. */
  start: () => () => void;
  /** Whether the device has not taken all that is here. */
  onlyInMemory: () => boolean;
}

/** So long after the last letter it is stored. */
const quietMs = 250;
/** A device that did not answer is asked again after this. */
const againMs = 3_000;

type Step = { put: Draft } | { drop: string };

function apply(desktop: Desktop, steps: readonly Step[]): Desktop {
  return steps.reduce<Desktop>(
    (each, step) => ("put" in step ? withDraft(each, step.put) : withoutDraft(each, step.drop)),
    desktop,
  );
}

function createDrafts(key: string): Drafts {
  const {
    get: state,
    set: publish,
    subscribe,
  } = createStore<DraftsState>({ ...emptyDesktop, loaded: false, known: false });
  let started = false;
  /** What is not on the device yet, in the order in which it happened. */
  let steps: readonly Step[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  const tabs = plainChannel(`hourmeter-${key}`);

  const set = (next: Desktop, known = state().known) => publish({ ...next, loaded: true, known });

  function change(step: Step): void {
    steps = [...steps, step];
    set(apply(state(), [step]));
  }

  async function refresh(): Promise<void> {
    clearTimeout(again);
    // Not by reading alone: that does not tell nothing from no answer.
    const stored = await changeKept(key, (value) => value ?? storedDesktop(emptyDesktop));
    if (stored !== undefined) {
      set(apply(readDesktop(stored), steps), true);
      return;
    }
    // Nobody has to wait for it. What is typed meanwhile lies beside what comes late.
    if (!state().loaded) set(state());
    if (!state().known && started) again = setTimeout(() => void refresh(), againMs);
  }

  async function store(): Promise<void> {
    clearTimeout(timer);
    if (steps.length === 0) return;
    const written = steps;
    const stored = await changeKept(key, (value) =>
      storedDesktop(apply(readDesktop(value), written)),
    );
    // It goes with the next change then.
    if (stored === undefined) return;
    steps = steps.filter((step) => !written.includes(step));
    set(apply(readDesktop(stored), steps), true);
    tabs.announce();
  }

  const flush = () => void store();

  /** Without reading first: a page that ends hears no answer any more. */
  async function storeLast(): Promise<void> {
    if (steps.length === 0) return;
    // Over what has not been read nothing is written.
    if (!state().known) return store();
    const written = steps;
    if (!(await writeKept(key, storedDesktop(state())))) return;
    steps = steps.filter((step) => !written.includes(step));
    tabs.announce();
  }

  function drop(id: string): void {
    if (!state().drafts.some((draft) => draft.id === id)) return;
    change({ drop: id });
    flush();
  }

  return {
    subscribe,
    state,
    refresh,
    put(draft) {
      // Where nothing can be stored, one a letter would come together.
      steps = steps.filter((step) => !("put" in step && step.put.id === draft.id));
      change({ put: draft });
      clearTimeout(timer);
      timer = setTimeout(flush, quietMs);
    },
    drop,
    dropForm(formKey) {
      for (const draft of state().drafts) if (draft.key === formKey) drop(draft.id);
    },
    flush,
    start() {
      started = true;
      const stopTabs = tabs.onChange(() => void refresh());
      const leave = () => void storeLast();
      const whenHidden = () => {
        if (document.visibilityState === "hidden") leave();
      };
      // Phones end a hidden page without another word.
      document.addEventListener("visibilitychange", whenHidden);
      window.addEventListener("pagehide", leave);
      void refresh();
      return () => {
        started = false;
        flush();
        clearTimeout(again);
        stopTabs();
        // Other tabs may go on meanwhile: whoever comes back reads first.
        if (state().known && steps.length === 0) publish({ ...state(), loaded: false });
        document.removeEventListener("visibilitychange", whenHidden);
        window.removeEventListener("pagehide", leave);
      };
    },
    onlyInMemory: () => steps.length > 0,
  };
}

/** Outlives a logout on the device, as unsent entries do, and is read for the same person only. */
export const draftsOf = perPerson(
  ({ userId }: PersonTools) => createDrafts(keptKeys.drafts(userId)),
  (drafts) => drafts.onlyInMemory(),
);
