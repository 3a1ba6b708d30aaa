import { useEffect, useEffectEvent, useReducer } from "react";
import { randomId } from "#/shared/random-id";
import type { Correction } from "./correction";
import { isWorthKeeping } from "./draft";
import type { Drafts } from "./drafts";
import { nextForm, openForm } from "./form-state";
import type { UpdateValues } from "./schema";
import { isListed, type Desk } from "../use-desk";

export type UpdateFormState = ReturnType<typeof useUpdateForm>;

/**
 * What is typed into a form, kept as a draft with each letter until it is submitted or discarded. In
 * two tabs the same draft looks the same; one that another tab began does not take the place of what
 * is on screen.
 */
export function useUpdateForm({
  desk,
  drafts,
  correction,
}: {
  desk: Desk;
  drafts: Drafts;
  correction: Correction | null;
}) {
  const [form, dispatch] = useReducer(nextForm, null, () => openForm(drafts.state(), correction));
  const { values, readThen, restored, submitted } = form;

  function write(next: UpdateValues, then: boolean): void {
    const isWorth = !form.stored && (isWorthKeeping(next, form.base) || !then);
    const stamp = isWorth ? randomId() : null;
    dispatch({ type: "changed", values: next, readThen: then, stamp });
    if (stamp === null) {
      drafts.drop(form.id);
      return;
    }
    drafts.put({
      key: form.key,
      id: form.id,
      stamp,
      writtenAt: new Date(),
      values: next,
      equipmentName: desk.meterOf(next.equipmentId)?.name ?? nameIn(next.equipmentId) ?? null,
      readThen: then,
      correction,
    });
  }

  /** The name of a machine that the list does not have, or not yet. */
  function nameIn(equipmentId: string): string | undefined {
    if (restored?.equipmentName && restored.values.equipmentId === equipmentId)
      return restored.equipmentName;
    return correction?.equipmentId === equipmentId ? correction.equipmentName : undefined;
  }

  const follow = useEffectEvent(() => {
    const state = drafts.state();
    dispatch({ type: "followed", drafts: state });
    const { drafts: kept, done } = state;
    const isLost = !kept.some(({ id }) => id === form.id) && !done.includes(form.id);
    if (form.stamp !== null && isLost) write(values, readThen);
  });
  const reopen = useEffectEvent(() => dispatch({ type: "reopened", drafts: drafts.state() }));

  useEffect(() => {
    const stopDrafts = drafts.subscribe(() => follow());
    // An empty form that is seen again is as good as one just opened.
    const see = () => {
      if (document.visibilityState === "visible") void drafts.refresh().then(() => reopen());
    };
    document.addEventListener("visibilitychange", see);
    return () => {
      stopDrafts();
      document.removeEventListener("visibilitychange", see);
      // Another form takes its place; this one comes back as it was.
      drafts.flush();
    };
  }, [drafts]);

  // Until the list is there; a machine that is not in it has to be chosen again. Only the reading that
  // is corrected needs none: hours are added to what the list says.
  const showsName = !isListed(desk) || (correction !== null && values.mode === "reading");
  return {
    values,
    readThen,
    restored,
    submitted,
    equipmentName: showsName ? nameIn(values.equipmentId) : undefined,
    change: (changes: Partial<UpdateValues>) => write({ ...values, ...changes }, readThen),
    setReadThen: (then: boolean) => write(values, then),
    submit: () => dispatch({ type: "submitted" }),
    /** The values lie on the device as an entry. */
    finish: () => {
      dispatch({ type: "stored" });
      drafts.drop(form.id);
    },
    /** Discards what was typed. */
    clear: (next = form.base) => {
      dispatch({ type: "cleared", values: next, id: randomId() });
      drafts.drop(form.id);
    },
  };
}
