import { describe, expect, it } from "vitest";
import { emptyDraftBox, withDraft, withoutDraft, type Draft } from "./draft-box";
import type { DraftsState } from "./drafts";
import { nextForm, openForm, type FormState } from "./form-state";
import { emptyUpdate } from "./schema";

const empty: DraftsState = { ...emptyDraftBox, loaded: true, deviceRead: true };

const draft = (id: string, reading: string, stamp = reading): Draft => ({
  key: "new",
  id,
  stamp,
  writtenAt: new Date(),
  values: { ...emptyUpdate, reading },
  equipmentName: null,
  readThen: true,
  correction: null,
});

const having = (...drafts: Draft[]): DraftsState => ({
  ...empty,
  ...drafts.reduce(withDraft, empty),
});
const follow = (form: FormState, drafts: DraftsState) =>
  nextForm(form, { type: "followed", drafts });
const type = (form: FormState, reading: string) =>
  nextForm(form, {
    type: "changed",
    values: { ...form.values, reading },
    readThen: true,
    stamp: reading,
  });

describe("a form in two tabs", () => {
  it("opens the latest draft and follows the other tab's changes", () => {
    const form = openForm(having(draft("d1", "1"), draft("d2", "2")), null);
    expect(form).toMatchObject({ id: "d2", values: { reading: "2" } });
    const next = follow(form, having(draft("d2", "25")));
    expect(next.values.reading).toBe("25");
    expect(next.restored?.stamp).toBe("25");
  });

  it("is cleared when the other tab submits or discards the draft", () => {
    const form = type(openForm(having(draft("d1", "1")), null), "12");
    const next = follow(form, { ...empty, ...withoutDraft(having(draft("d1", "12")), "d1") });
    expect(next).toMatchObject({ values: emptyUpdate, stamp: null, restored: null });
  });

  it("keeps typed values despite another draft or a missing draft", () => {
    const form = type(openForm(empty, null), "12");
    expect(follow(form, having(draft("d9", "9")))).toBe(form);
    expect(follow(form, empty)).toBe(form);
  });

  it("adopts another tab's draft only when the page becomes visible", () => {
    const form = openForm(empty, null);
    const other = having(draft("d9", "9"));
    expect(follow(form, other)).toBe(form);
    expect(nextForm(form, { type: "reopened", drafts: other }).values.reading).toBe("9");
    const typed = type(form, "12");
    expect(nextForm(typed, { type: "reopened", drafts: other })).toBe(typed);
  });

  it("keeps its values while its entry is being sent", () => {
    const form = nextForm(type(openForm(empty, null), "12"), { type: "stored" });
    const done = { ...empty, ...withoutDraft(having(draft(form.id, "12")), form.id) };
    expect(follow(form, done).values.reading).toBe("12");
  });
});
