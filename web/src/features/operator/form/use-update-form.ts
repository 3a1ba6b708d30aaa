import { useEffect, useEffectEvent, useReducer } from "react";
import { randomId } from "#/shared/random-id";
import type { Correction } from "./correction";
import { isWorthStoring } from "./draft-box";
import type { Drafts } from "./drafts";
import { nextForm, openForm } from "./form-state";
import type { UpdateValues } from "./schema";
import { isListed, type OperatorPageState } from "../use-operator-page";

export type UpdateFormState = ReturnType<typeof useUpdateForm>;

/**
 * The values of the form, stored as a draft on each change until they are submitted or discarded. Tabs
 * that show the same draft stay in sync. A draft begun in another tab does not replace the values on
 * screen.
 */
export function useUpdateForm({
  page,
  drafts,
  correction,
}: {
  page: OperatorPageState;
  drafts: Drafts;
  correction: Correction | null;
}) {
  const [form, dispatch] = useReducer(nextForm, null, () => openForm(drafts.state(), correction));
  const { values, readThen, restored, submitted } = form;

  function write(next: UpdateValues, then: boolean): void {
    const isWorth = !form.stored && (isWorthStoring(next, form.base) || !then);
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
      equipmentName: page.machineOf(next.equipmentId)?.name ?? nameIn(next.equipmentId) ?? null,
      readThen: then,
      correction,
    });
  }

  /** The name of a machine that is not in the list. */
  function nameIn(equipmentId: string): string | undefined {
    if (restored?.equipmentName && restored.values.equipmentId === equipmentId)
      return restored.equipmentName;
    return correction?.equipmentId === equipmentId ? correction.equipmentName : undefined;
  }

  const follow = useEffectEvent(() => {
    const state = drafts.state();
    dispatch({ type: "followed", drafts: state });
    const { drafts: stored, done } = state;
    const isLost = !stored.some(({ id }) => id === form.id) && !done.includes(form.id);
    if (form.stamp !== null && isLost) write(values, readThen);
  });
  const reopen = useEffectEvent(() => dispatch({ type: "reopened", drafts: drafts.state() }));

  useEffect(() => {
    const stopDrafts = drafts.subscribe(() => follow());
    // An empty form adopts the latest draft when the page becomes visible.
    const onVisible = () => {
      if (document.visibilityState === "visible") void drafts.refresh().then(() => reopen());
    };
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      stopDrafts();
      document.removeEventListener("visibilitychange", onVisible);
      // The form may be opened again later.
      drafts.flush();
    };
  }, [drafts]);

  // Once the list is available, an unlisted machine must be chosen again, except for the reading of a
  // correction, which does not depend on the list.
  const showsName = !isListed(page) || (correction !== null && values.mode === "reading");
  return {
    values,
    readThen,
    restored,
    submitted,
    equipmentName: showsName ? nameIn(values.equipmentId) : undefined,
    change: (changes: Partial<UpdateValues>) => write({ ...values, ...changes }, readThen),
    setReadThen: (then: boolean) => write(values, then),
    submit: () => dispatch({ type: "submitted" }),
    /** Call when the values are stored as an entry. */
    finish: () => {
      dispatch({ type: "stored" });
      drafts.drop(form.id);
    },
    clear: (next = form.base) => {
      dispatch({ type: "cleared", values: next, id: randomId() });
      drafts.drop(form.id);
    },
  };
}
