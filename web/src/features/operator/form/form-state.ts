import { randomId } from "#/shared/random-id";
import type { Correction } from "./correction";
import { isWorthKeeping, type Draft } from "./draft";
import type { DraftsState } from "./drafts";
import { emptyUpdate, type UpdateValues } from "./schema";

/** What one form shows, and which draft on the device has it. */
export interface FormState {
  /** The key of its drafts. */
  key: string;
  /** What it holds before anything is typed. */
  base: UpdateValues;
  values: UpdateValues;
  /** A correction is of the reading taken then, and not of a new one. */
  readThen: boolean;
  /** The id of its draft. */
  id: string;
  /** The stamp of its draft; null: nothing in the form is worth keeping. */
  stamp: string | null;
  /** The draft as it was typed before this form was opened, or in another tab. */
  restored: Draft | null;
  /** Problems are shown from the first submit on. */
  submitted: boolean;
  /** The device had said which drafts lie on it. */
  known: boolean;
  /** The values are those of an entry on the device: they are no draft any more. */
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

/** A form goes on with the draft of its kind that was written last. */
export function openForm({ drafts, known }: DraftsState, correction: Correction | null): FormState {
  const base = correction?.values ?? emptyUpdate;
  const key = correction?.key ?? "new";
  const empty = { key, base, values: base, id: randomId(), known, ...untouched };
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

/** Another tab may have changed the draft that is on screen, or be done with it. */
function follow(form: FormState, state: DraftsState): FormState {
  if (form.stored) return form;
  if (!form.known && state.known) return adoptIfEmpty({ ...form, known: true }, state);
  const draft = state.drafts.find(({ id }) => id === form.id);
  if (draft) return draft.stamp === form.stamp ? form : adopt(form, draft);
  const isDone = form.stamp !== null && state.done.includes(form.id);
  return isDone ? { ...form, ...untouched, values: form.base } : form;
}

/** Nothing that was typed gives way. */
function adoptIfEmpty(form: FormState, { drafts }: DraftsState): FormState {
  const isEmpty = form.stamp === null && !isWorthKeeping(form.values, form.base);
  const draft = lastOf(drafts, form.key);
  return isEmpty && draft ? adopt(form, draft) : form;
}

function adopt(form: FormState, draft: Draft): FormState {
  const { values, readThen, id, stamp } = draft;
  return { ...form, ...untouched, values, readThen, id, stamp, restored: draft };
}

const lastOf = (drafts: readonly Draft[], key: string) =>
  drafts.findLast((draft) => draft.key === key);
