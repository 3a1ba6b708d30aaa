import { randomId } from "#/shared/random-id";
import type { Correction } from "./correction";
import { isWorthStoring, type Draft } from "./draft-box";
import type { DraftsState } from "./drafts";
import { emptyUpdate, type UpdateValues } from "./schema";

/** State of one form and its link to a draft. */
export interface FormState {
  /** The key of its drafts. */
  key: string;
  /** Initial values. */
  base: UpdateValues;
  values: UpdateValues;
  /** Whether a correction keeps the original reading time. */
  readThen: boolean;
  /** The id of its draft. */
  id: string;
  /** The stamp of its draft. Null when the form has no draft. */
  stamp: string | null;
  /** The draft restored from the device, typed earlier or in another tab. */
  restored: Draft | null;
  /** Errors are shown after the first submit. */
  submitted: boolean;
  /** Whether the drafts on the device have been read. */
  deviceRead: boolean;
  /** Whether the values are stored as an entry, and so are no draft. */
  stored: boolean;
}

export type FormAction =
  | { type: "changed"; values: UpdateValues; readThen: boolean; stamp: string | null }
  | { type: "submitted" }
  | { type: "stored" }
  | { type: "cleared"; values: UpdateValues; id: string }
  | { type: "followed"; drafts: DraftsState }
  | { type: "reopened"; drafts: DraftsState };

const untouched = {
  readThen: true,
  stamp: null,
  restored: null,
  submitted: false,
  stored: false,
} as const;

/** Opens the form with its latest draft. */
export function openForm(
  { drafts, deviceRead }: DraftsState,
  correction: Correction | null,
): FormState {
  const base = correction?.values ?? emptyUpdate;
  const key = correction?.key ?? "new";
  const empty = { key, base, values: base, id: randomId(), deviceRead, ...untouched };
  const draft = lastOf(drafts, key);
  return draft ? adopt(empty, draft) : empty;
}

export function nextForm(form: FormState, action: FormAction): FormState {
  switch (action.type) {
    case "changed": {
      const { values, readThen, stamp } = action;
      const restored = stamp === null ? null : form.restored;
      return { ...form, values, readThen, stamp, restored };
    }
    case "submitted":
      return { ...form, submitted: true };
    case "stored":
      return { ...form, stored: true, stamp: null, restored: null };
    case "cleared":
      return { ...form, ...untouched, values: action.values, id: action.id };
    case "followed":
      return follow(form, action.drafts);
    case "reopened":
      return adoptIfEmpty(form, action.drafts);
  }
}

/** Applies changes that another tab made to this form's draft. */
function follow(form: FormState, state: DraftsState): FormState {
  if (form.stored) return form;
  if (!form.deviceRead && state.deviceRead)
    return adoptIfEmpty({ ...form, deviceRead: true }, state);
  const draft = state.drafts.find(({ id }) => id === form.id);
  if (draft) return draft.stamp === form.stamp ? form : adopt(form, draft);
  const isDone = form.stamp !== null && state.done.includes(form.id);
  return isDone ? { ...form, ...untouched, values: form.base } : form;
}

/** Never replaces typed values. */
function adoptIfEmpty(form: FormState, { drafts }: DraftsState): FormState {
  const isEmpty = form.stamp === null && !isWorthStoring(form.values, form.base);
  const draft = lastOf(drafts, form.key);
  return isEmpty && draft ? adopt(form, draft) : form;
}

function adopt(form: FormState, draft: Draft): FormState {
  const { values, readThen, id, stamp } = draft;
  return { ...form, ...untouched, values, readThen, id, stamp, restored: draft };
}

const lastOf = (drafts: readonly Draft[], key: string) =>
  drafts.findLast((draft) => draft.key === key);
