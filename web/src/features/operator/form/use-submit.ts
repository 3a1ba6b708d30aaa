import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { UnitWord } from "#/domain/equipment-words";
import { key } from "#/i18n/key";
import { randomId } from "#/shared/random-id";
import { toast } from "#/shared/toast/store";
import { clockAtCapture } from "../send/capture-clock";
import type { Fix } from "../check/check-sheet";
import { correctionOfEntry, type Correction } from "./correction";
import type { LastKnown } from "../offline-data/last-known";
import type { OutboxEntry } from "../send/outbox-entry";
import { questionAbout, questionKey, type Question } from "../check/question";
import { problemsIn, toEntry, type Problems, type UpdateValues } from "./schema";
import { isListed, type OperatorPageState } from "../use-operator-page";
import type { UpdateFormState } from "./use-update-form";

const none: Problems = {};

/** Submits the form. A suspicious entry is questioned once before it is sent. */
export function useSubmit({
  page,
  form,
  correction,
  onRefused,
  onSubmitted,
}: {
  page: OperatorPageState;
  form: Pick<UpdateFormState, "values" | "readThen" | "submitted" | "change" | "submit" | "finish">;
  correction: Correction | null;
  onRefused: (correction: Correction) => void;
  onSubmitted: (entry: OutboxEntry) => void;
}) {
  const { t } = useTranslation();
  const { values } = form;
  // Holds the last reading from before the submit, because the pending entry would replace it.
  const [pending, setPending] = useState<{ last: LastKnown | undefined } | null>(null);
  /** Submit was pressed before the machines were loaded. It resumes when they are. */
  const [waiting, setWaiting] = useState(false);
  const [question, setQuestion] = useState<Question | null>(null);
  const [askedKey, setAskedKey] = useState<string | null>(null);
  const { state } = page.list;
  const machine = formMachine(page, values, correction);

  function problemsOf(): Problems {
    const problems = problemsIn(values, machine?.lastReading ?? null);
    // A restored draft may refer to a machine that is not in the list.
    if (machine || values.equipmentId === "" || state === "loading") return problems;
    const missing = isListed(page) ? key("operator.errors.noEquipment") : notListed;
    return { ...problems, equipmentId: missing };
  }

  function entryOf(machine: FormMachine, values: UpdateValues): OutboxEntry {
    const then = correction && form.readThen ? correction.capturedAt : null;
    const capture = { clientId: randomId(), now: then ?? new Date() };
    // A correction keeps its capture time, which was corrected when it was first sent.
    return {
      ...toEntry(values, machine, capture),
      ...(then ? { clockChecked: true } : clockAtCapture()),
    };
  }

  async function send(entry: OutboxEntry): Promise<void> {
    if (pending) return;
    const sentFor = page.machineOf(entry.equipmentId);
    setPending({ last: sentFor && page.lastOf(sentFor) });
    setQuestion(null);
    const outcome = await page.outbox.submit(entry, correction?.replacedId ?? null, form.finish);
    setPending(null);
    setAskedKey(null);
    if (outcome.kind === "sent" || outcome.kind === "refused") form.finish();
    if (outcome.kind === "refused") {
      // The refused entry stays stored. The form becomes its correction, with all typed values.
      const refused = correctionOfEntry({ ...entry, state: "refused", reason: outcome.reason });
      onRefused({ ...refused, updateId: correction?.updateId ?? null });
      return;
    }
    if (outcome.kind === "conflict") {
      toast.failure(t("operator.toast.failed"), t("operator.toast.gone"));
      return;
    }
    onSubmitted(entry);
  }

  const ask = (entry: OutboxEntry) =>
    questionAbout(entry, page.machineOf(entry.equipmentId), {
      machines: page.list.machines,
      reports: page.reports,
      oftenUsed: page.quickMachines.map((each) => each.equipmentId),
    });

  function submit(): void {
    if (pending) return;
    form.submit();
    const hasProblems = Object.keys(problemsOf()).length > 0;
    setWaiting(!hasProblems && !machine);
    if (hasProblems || !machine) return;
    const entry = entryOf(machine, values);
    const nextQuestion = askedKey === questionKey(entry) ? null : ask(entry);
    if (!nextQuestion) {
      void send(entry);
      return;
    }
    setAskedKey(questionKey(entry));
    setQuestion(nextQuestion);
  }

  const resume = useEffectEvent(submit);
  useEffect(() => {
    if (waiting && state !== "loading") queueMicrotask(() => resume());
  }, [waiting, state]);

  /** Applies the fix to the form, so that it remains after a refusal, and sends the entry. */
  function applyFix(chosen: Fix): void {
    if (!question) return;
    const changes = changesOf(chosen, question, values, t("operator.check.replacedNote"));
    const next = { ...values, ...changes };
    form.change(changes);
    const fixedMachine = formMachine(page, next, correction);
    if (!fixedMachine) return;
    const entry = entryOf(fixedMachine, next);
    setAskedKey(questionKey(entry));
    // Ask about remaining flags.
    const remaining = chosen.kind === "none" || chosen.kind === "replaced" ? null : ask(entry);
    if (remaining) setQuestion(remaining);
    else void send(entry);
  }

  return {
    pending,
    waiting,
    question,
    problems: form.submitted ? problemsOf() : none,
    submit,
    applyFix,
    goBack: () => setQuestion(null),
  };
}

const notListed = key("operator.offline.nothing");

interface FormMachine {
  id: string;
  name: string;
  lastReading: number | null;
  /** Null while it is unknown. */
  unit: UnitWord | null;
}

function formMachine(
  page: OperatorPageState,
  { equipmentId }: UpdateValues,
  correction: Correction | null,
): FormMachine | null {
  const listed = page.machineOf(equipmentId);
  if (listed)
    return {
      id: equipmentId,
      name: listed.name,
      lastReading: page.lastOf(listed).reading,
      unit: listed.unit,
    };
  if (correction?.equipmentId !== equipmentId) return null;
  return { id: equipmentId, name: correction.equipmentName, lastReading: null, unit: null };
}

function changesOf(
  chosen: Fix,
  { entry }: Question,
  { notes }: UpdateValues,
  replacedNote: string,
): Partial<UpdateValues> {
  switch (chosen.kind) {
    case "reading":
      return { mode: "reading", reading: String(chosen.reading) };
    case "machine":
      return {
        mode: "reading",
        equipmentId: chosen.machine.equipmentId,
        ...(entry.reading !== null && { reading: String(entry.reading) }),
      };
    case "fuel":
      return chosen.values;
    case "replaced":
      return { notes: [notes.trim(), replacedNote].filter(Boolean).join("\n") };
    case "none":
      return {};
  }
}
