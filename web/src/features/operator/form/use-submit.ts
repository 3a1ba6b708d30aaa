import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { key } from "#/i18n/key";
import { randomId } from "#/shared/random-id";
import { toast } from "#/shared/toast/store";
import { clockAtCapture } from "../send/capture-clock";
import type { Repair } from "../check/check-sheet";
import { correctionOfEntry, type Correction } from "./correction";
import type { LastKnown } from "../offline-data/last-known";
import type { OutboxEntry } from "../send/outbox-entry";
import { questionAbout, sameAsAsked, type Question } from "../check/question";
import { problemsIn, toEntry, type Problems, type UpdateValues } from "./schema";
import { isListed, type Desk } from "../use-desk";
import { useReplacedNote } from "../check/use-replaced-note";
import type { UpdateFormState } from "./use-update-form";

const none: Problems = {};

/** From pressing Submit to knowing that it is kept: what looks wrong is asked about once before. */
export function useSubmit({
  desk,
  form,
  correction,
  onRefused,
  onKept,
}: {
  desk: Desk;
  form: Pick<UpdateFormState, "values" | "readThen" | "submitted" | "change" | "submit" | "finish">;
  correction: Correction | null;
  onRefused: (correction: Correction) => void;
  onKept: (entry: OutboxEntry) => void;
}) {
  const { t } = useTranslation();
  const replacedNote = useReplacedNote();
  const { values } = form;
  // With it the last reading as it was: the entry on its way is not the one before itself.
  const [pending, setPending] = useState<{ last: LastKnown | undefined } | null>(null);
  /** Pressed before the list of machines was there; it goes on by itself. */
  const [waiting, setWaiting] = useState(false);
  const [question, setQuestion] = useState<Question | null>(null);
  const [asked, setAsked] = useState<string | null>(null);
  const { state } = desk.list;
  const machine = machineOf(desk, values, correction);

  function problemsOf(): Problems {
    const problems = problemsIn(values, machine?.lastReading ?? null);
    // It came back with a draft, before the list of machines or without being in it any more.
    if (machine || values.equipmentId === "" || state === "loading") return problems;
    const missing = isListed(desk) ? key("operator.errors.noEquipment") : notListed;
    return { ...problems, equipmentId: missing };
  }

  function entryOf(machine: Machine, values: UpdateValues): OutboxEntry {
    const then = correction && form.readThen ? correction.capturedAt : null;
    const made = { clientId: randomId(), now: then ?? new Date() };
    // What is corrected had its time compared when it was sent.
    return {
      ...toEntry(values, machine, made),
      ...(then ? { clockChecked: true } : clockAtCapture()),
    };
  }

  async function send(entry: OutboxEntry): Promise<void> {
    if (pending) return;
    const meter = desk.meterOf(entry.equipmentId);
    setPending({ last: meter && desk.lastOf(meter) });
    setQuestion(null);
    const outcome = await desk.outbox.submit(entry, correction?.replacedId ?? null, form.finish);
    setPending(null);
    setAsked(null);
    if (outcome.kind === "sent" || outcome.kind === "refused") form.finish();
    if (outcome.kind === "refused") {
      // It is kept as refused; the form goes on as its correction, with everything that was typed.
      const refused = correctionOfEntry({ ...entry, state: "refused", reason: outcome.reason });
      onRefused({ ...refused, updateId: correction?.updateId ?? null });
      return;
    }
    if (outcome.kind === "gone") {
      toast.failure(t("operator.toast.failed"), t("operator.toast.gone"));
      return;
    }
    if (outcome.kind === "queued") {
      if (outcome.durable)
        toast.success(t("operator.toast.queued"), t("operator.toast.queuedText"));
      else toast.failure(t("operator.toast.notKept"), t("device.notKept"));
    }
    onKept(entry);
  }

  const ask = (entry: OutboxEntry) =>
    questionAbout(entry, desk.meterOf(entry.equipmentId), {
      meters: desk.list.meters,
      reports: desk.reports,
      oftenUsed: desk.atHand.map((meter) => meter.equipmentId),
    });

  function submit(): void {
    if (pending) return;
    form.submit();
    const hasProblems = Object.keys(problemsOf()).length > 0;
    setWaiting(!hasProblems && !machine);
    if (hasProblems || !machine) return;
    const entry = entryOf(machine, values);
    const doubt = asked === sameAsAsked(entry) ? null : ask(entry);
    if (!doubt) {
      void send(entry);
      return;
    }
    setAsked(sameAsAsked(entry));
    setQuestion(doubt);
  }

  const goOn = useEffectEvent(submit);
  useEffect(() => {
    if (waiting && state !== "loading") queueMicrotask(() => goOn());
  }, [waiting, state]);

  /** Puts what was meant into the form, where it stays should it be refused, and sends it. */
  function repair(chosen: Repair): void {
    if (!question) return;
    const changes = changesOf(chosen, question, values, replacedNote(question.meter.unit));
    const next = { ...values, ...changes };
    form.change(changes);
    const meant = machineOf(desk, next, correction);
    if (!meant) return;
    const entry = entryOf(meant, next);
    setAsked(sameAsAsked(entry));
    // What else was in doubt is still to be answered.
    const left = chosen.kind === "none" || chosen.kind === "replaced" ? null : ask(entry);
    if (left) setQuestion(left);
    else void send(entry);
  }

  return {
    pending,
    waiting,
    question,
    problems: form.submitted ? problemsOf() : none,
    submit,
    repair,
    goBack: () => setQuestion(null),
  };
}

const notListed = key("operator.offline.nothing");

interface Machine {
  id: string;
  name: string;
  lastReading: number | null;
}

/** Null while too little is known of the machine: hours added need its last reading. */
function machineOf(
  desk: Desk,
  { equipmentId, mode, reading }: UpdateValues,
  correction: Correction | null,
): Machine | null {
  const meter = desk.meterOf(equipmentId);
  if (meter) return { id: equipmentId, name: meter.name, lastReading: desk.lastOf(meter).reading };
  if (correction?.equipmentId !== equipmentId) return null;
  if (mode === "added" && reading.trim() !== "") return null;
  return { id: equipmentId, name: correction.equipmentName, lastReading: null };
}

function changesOf(
  chosen: Repair,
  { entry }: Question,
  { notes }: UpdateValues,
  replacedNote: string,
): Partial<UpdateValues> {
  switch (chosen.kind) {
    case "reading":
      return { mode: "reading", reading: String(chosen.reading) };
    case "machine":
      // Hours added were meant for the first machine; on the other it is the reading that fits.
      return {
        mode: "reading",
        equipmentId: chosen.meter.equipmentId,
        ...(entry.reading !== null && { reading: String(entry.reading) }),
      };
    case "fuel":
      return { fuel: String(chosen.fuel) };
    case "replaced":
      return { notes: [notes.trim(), replacedNote].filter(Boolean).join("\n") };
    case "none":
      return {};
  }
}
