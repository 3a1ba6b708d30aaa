import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { randomId } from "#/shared/random-id";
import type { Correction } from "./correction";
import { isWorthKeeping, type Draft } from "./draft";
import type { Drafts } from "./drafts";
import { emptyUpdate, type UpdateValues } from "./schema";
import { isListed, type Desk } from "../use-desk";

const keyOf = (correction: Correction | null) => correction?.key ?? "new";

/** The one written last. */
const draftIn = (drafts: Drafts, correction: Correction | null) =>
  drafts.state().drafts.findLast(({ key }) => key === keyOf(correction));

/** What was begun in this form before it was opened. */
export function useBegun(drafts: Drafts, correction: Correction | null): Draft | undefined {
  const [begun] = useState(() => draftIn(drafts, correction));
  return begun;
}

/**
 * Keeps what is typed into a form, each letter, until it is submitted or discarded. In two tabs the
 * same draft looks the same; one that another tab began does not take the place of what is on screen.
 */
export function useDraft({
  desk,
  drafts,
  form,
  correction,
  begun,
}: {
  desk: Desk;
  drafts: Drafts;
  form: UseFormReturn<UpdateValues>;
  correction: Correction | null;
  begun: Draft | undefined;
}) {
  const [restored, setRestored] = useState(begun);
  const [readThen, setReadThen] = useState(begun?.readThen ?? true);
  /** What of this form lies in the drafts. */
  const own = useRef<Pick<Draft, "id" | "stamp"> | null>(begun ?? null);
  /** The form is being filled by itself. */
  const filling = useRef(false);
  /** Submitted; what the form still shows is an entry already. */
  const stored = useRef(false);
  /** The device had said what lies on it. */
  const known = useRef(drafts.state().known);
  const base = correction?.values ?? emptyUpdate;

  function fill(values: UpdateValues): void {
    filling.current = true;
    form.reset(values);
    filling.current = false;
  }

  function drop(): void {
    const dropped = own.current;
    own.current = null;
    setRestored(undefined);
    if (dropped) drafts.drop(dropped.id);
  }

  function note(values: UpdateValues, then = readThen): void {
    if (filling.current || stored.current) return;
    if (!isWorthKeeping(values, base) && then) {
      drop();
      return;
    }
    const { id } = own.current ?? { id: randomId() };
    const draft = {
      key: keyOf(correction),
      id,
      stamp: randomId(),
      writtenAt: new Date(),
      values,
      equipmentName: desk.meterOf(values.equipmentId)?.name ?? nameIn(values.equipmentId) ?? null,
      readThen: then,
      correction,
    };
    own.current = draft;
    drafts.put(draft);
  }

  /** The name of a machine that the list does not have, or not yet. */
  function nameIn(equipmentId: string): string | undefined {
    if (restored?.equipmentName && restored.values.equipmentId === equipmentId)
      return restored.equipmentName;
    return correction?.equipmentId === equipmentId ? correction.equipmentName : undefined;
  }

  function adopt(draft: Draft): void {
    own.current = draft;
    setRestored(draft);
    setReadThen(draft.readThen);
    fill(draft.values);
  }

  /** Another tab has gone on with it, or is done with it. */
  function follow(): void {
    if (!known.current && drafts.state().known) {
      known.current = true;
      adoptIfEmpty();
    }
    const mine = own.current;
    if (!mine) return;
    const lying = drafts.state().drafts.find(({ id }) => id === mine.id);
    if (lying?.stamp === mine.stamp) return;
    if (lying) adopt(lying);
    else if (drafts.state().done.includes(mine.id)) {
      own.current = null;
      setRestored(undefined);
      fill(base);
    } else note(form.getValues());
  }

  /** Nothing that was typed gives way. */
  function adoptIfEmpty(): void {
    const lying = draftIn(drafts, correction);
    const empty = own.current === null && !isWorthKeeping(form.getValues(), base);
    if (lying && empty) adopt(lying);
  }

  const onValues = useEffectEvent((values: UpdateValues) => note(values));
  const onDrafts = useEffectEvent(follow);
  const onRefreshed = useEffectEvent(adoptIfEmpty);

  useEffect(() => {
    const stopForm = form.subscribe({
      formState: { values: true },
      callback: ({ values }) => onValues(values),
    });
    const stopDrafts = drafts.subscribe(() => onDrafts());
    // An empty form that is seen again is as good as one just opened.
    const see = () => {
      if (document.visibilityState !== "visible") return;
      void drafts.refresh().then(() => onRefreshed());
    };
    document.addEventListener("visibilitychange", see);
    return () => {
      stopForm();
      stopDrafts();
      document.removeEventListener("visibilitychange", see);
      // Another form takes its place; this one comes back as it was.
      drafts.flush();
    };
  }, [form, drafts]);

  // Until the list is there; a machine that is not in it has to be chosen anew. Only the reading that
  // is corrected needs none: hours are added to what the list says.
  const [equipmentId, mode] = form.watch(["equipmentId", "mode"]);
  const showsName = !isListed(desk) || (correction !== null && mode === "reading");
  return {
    restored,
    readThen,
    equipmentName: showsName ? nameIn(equipmentId) : undefined,
    setReadThen: (then: boolean) => {
      setReadThen(then);
      note(form.getValues(), then);
    },
    drop,
    /** It lies on the device as an entry. */
    finish: () => {
      stored.current = true;
      drop();
    },
    /** For the next entry. */
    reset: (values: UpdateValues) => {
      stored.current = false;
      own.current = null;
      setRestored(undefined);
      fill(values);
    },
    discard: () => {
      drop();
      setReadThen(true);
      fill(base);
    },
  };
}
