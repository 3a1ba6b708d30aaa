import { updateCached, writeCached } from "#/device/database";
import { cacheKeys } from "#/device/person";
import { createStore, type Store } from "#/shared/store";
import {
  emptyDraftBox,
  readDraftBox,
  encodeDraftBox,
  withDraft,
  withoutDraft,
  type DraftBox,
  type Draft,
} from "./draft-box";
import { perUserSingleton, type UserDeps } from "../offline-data/per-user";
import { plainChannel } from "../send/tab-channel";

export interface DraftsState extends DraftBox {
  /** Whether the form can be shown. True also when the device did not respond. */
  loaded: boolean;
  /** Whether the drafts on the device have been read. */
  deviceRead: boolean;
}

/** The drafts of one user, updated in memory immediately and on the device after a delay. */
export interface Drafts {
  subscribe: Store<DraftsState>["subscribe"];
  state: () => DraftsState;
  /** Reads the drafts from the device, where other tabs may have changed them. */
  refresh: () => Promise<void>;
  put: (draft: Draft) => void;
  /** Removes a draft without delay, because it would reappear after a reload. */
  drop: (id: string) => void;
  /** Removes the drafts of a correction whose entry no longer exists. */
  dropForm: (key: string) => void;
  /** Stores pending changes. */
  flush: () => void;
  /** Starts to follow other tabs and to store when the page is hidden. Returns a function that stops it. */
  start: () => () => void;
  /** Whether changes are not stored yet. */
  onlyInMemory: () => boolean;
}

const debounceMs = 250;
const retryMs = 3_000;

type Step = { put: Draft } | { drop: string };

function apply(box: DraftBox, steps: readonly Step[]): DraftBox {
  return steps.reduce<DraftBox>(
    (each, step) => ("put" in step ? withDraft(each, step.put) : withoutDraft(each, step.drop)),
    box,
  );
}

function createDrafts(key: string): Drafts {
  const {
    get: state,
    set: publish,
    subscribe,
  } = createStore<DraftsState>({ ...emptyDraftBox, loaded: false, deviceRead: false });
  let started = false;
  // A page that closes may lose a write to the database, but not one to local storage.
  const unstoredKey = `unstored-${key}`;
  const unstored = readDraftBox(JSON.parse(localStorage.getItem(unstoredKey) ?? "null"));
  /** Changes that are not stored yet, oldest first. */
  let steps: readonly Step[] = [
    ...unstored.drafts.map((put) => ({ put })),
    ...unstored.done.map((drop) => ({ drop })),
  ];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  const tabs = plainChannel(`hourmeter-${key}`);

  const set = (next: DraftBox, deviceRead = state().deviceRead) =>
    publish({ ...next, loaded: true, deviceRead });

  function change(step: Step): void {
    steps = [...steps, step];
    set(apply(state(), [step]));
  }

  const saveUnstored = () =>
    localStorage.setItem(unstoredKey, JSON.stringify(encodeDraftBox(apply(emptyDraftBox, steps))));

  function markStored(written: readonly Step[]): void {
    steps = steps.filter((step) => !written.includes(step));
    if (steps.length === 0) localStorage.removeItem(unstoredKey);
  }

  async function refresh(): Promise<void> {
    clearTimeout(retryTimer);
    // A plain read returns undefined both for no drafts and for a failure.
    const stored = await updateCached(key, (value) => value ?? encodeDraftBox(emptyDraftBox));
    if (stored !== undefined) {
      set(apply(readDraftBox(stored), steps), true);
      return;
    }
    // The form opens without the stored drafts. A late read adds them to those typed since.
    if (!state().loaded) set(state());
    if (!state().deviceRead && started) retryTimer = setTimeout(() => void refresh(), retryMs);
  }

  async function store(): Promise<void> {
    clearTimeout(timer);
    if (steps.length === 0) return;
    const written = steps;
    const stored = await updateCached(key, (value) =>
      encodeDraftBox(apply(readDraftBox(value), written)),
    );
    // The next change stores it.
    if (stored === undefined) return;
    markStored(written);
    set(apply(readDraftBox(stored), steps), true);
    tabs.announce();
  }

  const flush = () => void store();

  /** Writes without a read, because a page that is being closed gets no response. */
  async function storeLast(): Promise<void> {
    if (steps.length === 0) return;
    saveUnstored();
    // Never overwrite drafts that have not been read.
    if (!state().deviceRead) return store();
    const written = steps;
    if (!(await writeCached(key, encodeDraftBox(state())))) return;
    markStored(written);
    tabs.announce();
  }

  function drop(id: string): void {
    if (!state().drafts.some((draft) => draft.id === id)) return;
    change({ drop: id });
    saveUnstored();
    flush();
  }

  return {
    subscribe,
    state,
    refresh,
    put(draft) {
      // Without storage the list would grow by one step per keystroke.
      steps = steps.filter((step) => !("put" in step && step.put.id === draft.id));
      change({ put: draft });
      clearTimeout(timer);
      timer = setTimeout(flush, debounceMs);
    },
    drop,
    dropForm(formKey) {
      for (const draft of state().drafts) if (draft.key === formKey) drop(draft.id);
    },
    flush,
    start() {
      started = true;
      const stopTabs = tabs.onChange(() => void refresh());
      const storeNow = () => void storeLast();
      const onHidden = () => {
        if (document.visibilityState === "hidden") storeNow();
      };
      // Phones may end a hidden page without another event.
      document.addEventListener("visibilitychange", onHidden);
      window.addEventListener("pagehide", storeNow);
      void refresh().then(flush);
      return () => {
        started = false;
        flush();
        clearTimeout(retryTimer);
        stopTabs();
        // Other tabs may change drafts, so the next start reads them before it shows a form.
        if (state().deviceRead && steps.length === 0) publish({ ...state(), loaded: false });
        document.removeEventListener("visibilitychange", onHidden);
        window.removeEventListener("pagehide", storeNow);
      };
    },
    onlyInMemory: () => steps.length > 0,
  };
}

/** Drafts stay on the device after a logout, as unsent entries do. */
export const draftsOf = perUserSingleton(
  ({ userId }: UserDeps) => createDrafts(cacheKeys.drafts(userId)),
  (drafts) => drafts.onlyInMemory(),
);
