import * as v from "valibot";
import { correctionSchema } from "./correction";
import { emptyUpdate, updateValuesSchema, type UpdateValues } from "./schema";

/** What somebody has begun to write, as it lies on the device until it is submitted or discarded. */
const draftSchema = v.object({
  /** Which form it is of: that for a new entry, or that of one correction. */
  key: v.string(),
  /** Stays the same from the first letter to the end, in whichever tab it is gone on with. */
  id: v.string(),
  /** New at each change. */
  stamp: v.string(),
  writtenAt: v.date(),
  values: updateValuesSchema,
  /** Shown until the list of machines is there. */
  equipmentName: v.nullable(v.string()),
  /** A correction is of the reading taken then. */
  readThen: v.boolean(),
  correction: v.nullable(correctionSchema),
});

export type Draft = v.InferOutput<typeof draftSchema>;

/** All that one person has begun. */
export interface Desktop {
  /** The one written last comes last. */
  drafts: readonly Draft[];
  /** Those that were submitted or discarded lately: a tab that still shows one lets go of it. */
  done: readonly string[];
}

export const emptyDesktop: Desktop = { drafts: [], done: [] };

const version = 1;
/** The oldest go; nobody begins more. */
const most = 50;

const desktopSchema = v.object({
  version: v.literal(version),
  drafts: v.array(v.unknown()),
  done: v.fallback(v.array(v.string()), []),
});

/** What can't be read, of another version or damaged, is as if it were not there. */
export function readDesktop(stored: unknown): Desktop {
  const desktop = v.safeParse(desktopSchema, stored);
  if (!desktop.success) return emptyDesktop;
  const drafts = desktop.output.drafts.flatMap((each) => {
    const draft = v.safeParse(draftSchema, each);
    return draft.success ? [draft.output] : [];
  });
  return { drafts, done: desktop.output.done };
}

export function storedDesktop({ drafts, done }: Desktop): unknown {
  return { version, drafts, done };
}

/** Two tabs may have begun a new entry each: neither takes the other one's place. */
export function withDraft({ drafts, done }: Desktop, draft: Draft): Desktop {
  return {
    drafts: [...drafts.filter((each) => each.id !== draft.id), draft].slice(-most),
    done: done.filter((id) => id !== draft.id),
  };
}

export function withoutDraft({ drafts, done }: Desktop, id: string): Desktop {
  return {
    drafts: drafts.filter((each) => each.id !== id),
    done: [...done.filter((each) => each !== id), id].slice(-most),
  };
}

/** Whether there is anything to lose. */
export function isWorthKeeping(values: UpdateValues, base: UpdateValues): boolean {
  // How somebody likes to enter usage, or a kind of fuel, is no entry yet.
  if (base === emptyUpdate) {
    return [values.equipmentId, values.reading, values.fuel, values.notes].some(
      (text) => text.trim() !== "",
    );
  }
  return fields.some((field) => values[field] !== base[field]);
}

const fields = ["equipmentId", "mode", "reading", "fuel", "fuelKind", "notes"] as const;
