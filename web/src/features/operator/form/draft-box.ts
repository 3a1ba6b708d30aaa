import * as v from "valibot";
import { instantSchema } from "../offline-data/own-update";
import { correctionSchema } from "./correction";
import { emptyUpdate, updateValuesSchema, type UpdateValues } from "./schema";

/** An unsubmitted form as stored on the device. */
const draftSchema = v.object({
  /** The form it belongs to: `new`, or the key of a correction. */
  key: v.string(),
  /** Constant over all changes, in all tabs. */
  id: v.string(),
  /** Changes with each edit. */
  stamp: v.string(),
  writtenAt: instantSchema,
  values: updateValuesSchema,
  /** Shown until the machines are loaded. */
  equipmentName: v.nullable(v.string()),
  /** Whether a correction keeps the original reading time. */
  readThen: v.boolean(),
  correction: v.nullable(correctionSchema),
});

export type Draft = v.InferOutput<typeof draftSchema>;

/** All drafts of one user. */
export interface DraftBox {
  /** Ordered by last edit, oldest first. */
  drafts: readonly Draft[];
  /** Ids of drafts submitted or discarded recently, so that other tabs clear their forms. */
  done: readonly string[];
}

export const emptyDraftBox: DraftBox = { drafts: [], done: [] };

const version = 1;
/** The oldest drafts are dropped. */
const maxDrafts = 50;

const draftBoxSchema = v.object({
  version: v.literal(version),
  drafts: v.array(v.unknown()),
  done: v.fallback(v.array(v.string()), []),
});

/** Ignores drafts that are damaged or of another version. */
export function readDraftBox(stored: unknown): DraftBox {
  const box = v.safeParse(draftBoxSchema, stored);
  if (!box.success) return emptyDraftBox;
  const drafts = box.output.drafts.flatMap((each) => {
    const draft = v.safeParse(draftSchema, each);
    return draft.success ? [draft.output] : [];
  });
  return { drafts, done: box.output.done };
}

export function encodeDraftBox({ drafts, done }: DraftBox): unknown {
  return { version, drafts, done };
}

/** Replaces by id and not by key, because two tabs may each have a draft of a new entry. */
export function withDraft({ drafts, done }: DraftBox, draft: Draft): DraftBox {
  return {
    drafts: [...drafts.filter((each) => each.id !== draft.id), draft].slice(-maxDrafts),
    done: done.filter((id) => id !== draft.id),
  };
}

export function withoutDraft({ drafts, done }: DraftBox, id: string): DraftBox {
  return {
    drafts: drafts.filter((each) => each.id !== id),
    done: [...done.filter((each) => each !== id), id].slice(-maxDrafts),
  };
}

export function isWorthStoring(values: UpdateValues, base: UpdateValues): boolean {
  // A chosen machine, mode or fuel type alone is not worth a draft.
  if (base === emptyUpdate) {
    return [values.reading, values.fuel, values.notes].some((text) => text.trim() !== "");
  }
  return fields.some((field) => values[field] !== base[field]);
}

const fields = ["equipmentId", "mode", "reading", "fuel", "fuelKind", "fullFill", "notes"] as const;
