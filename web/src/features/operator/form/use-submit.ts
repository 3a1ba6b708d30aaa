import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { UseFormReturn } from "react-hook-form";
import { key } from "#/i18n/key";
import { randomId } from "#/shared/random-id";
import { toast } from "#/shared/toast/store";
import { clockAtCapture } from "../send/capture-clock";
import type { Repair } from "../check/check-sheet";
import { correctionOfEntry, type Correction } from "./correction";
import type { LastKnown } from "../offline-data/last-known";
import type { OutboxEntry } from "../send/outbox-entry";
import { questionAbout, sameAsAsked, type Question } from "../check/question";
import { largestQuantity, toEntry, type UpdateValues } from "./schema";
import { isListed, type Desk } from "../use-desk";
import { useReplacedNote } from "../check/use-replaced-note";

const noEquipment = key("operator.errors.noEquipment");
const notListed = key("operator.offline.nothing");

/** From pressing Submit to knowing that it is kept: what looks wrong is asked about once before. */
export function useSubmit({
  desk,
  form,
  correction,
  readThen,
  onRefused,
  onStored,
  onKept,
}: {
  desk: Desk;
  form: UseFormReturn<UpdateValues>;
  correction: Correction | null;
  /** A correction is of the reading taken then, and not of a new one. */
  readThen: boolean;
  onRefused: (correction: Correction) => void;
  /** It lies on the device as an entry, or the server has it: what the form holds is done with. */
  onStored: () => void;
  onKept: (entry: OutboxEntry) => void;
}) {
  const { t } = useTranslation();
  const replacedNote = useReplacedNote();
  // With it the last reading as it was: the entry on its way is not the one before itself.
  const [pending, setPending] = useState<{ last: LastKnown | undefined } | null>(null);
  /** Pressed before the list of machines was there; it goes on by itself. */
  const [waiting, setWaiting] = useState(false);
  // Closes the gap between a second press and the render that shows the pending label.
  const submitting = useRef(false);
  const [question, setQuestion] = useState<Question | null>(null);
  const asked = useRef<string | null>(null);

  function entryOf(values: UpdateValues): OutboxEntry | null {
    const meter = desk.meterOf(values.equipmentId);
    const isCorrected = correction?.equipmentId === values.equipmentId;
    const name = meter?.name ?? (isCorrected ? correction.equipmentName : undefined);
    if (name === undefined) return null;
    const lastReading = meter ? desk.lastOf(meter).reading : null;
    const then = correction && readThen ? correction.capturedAt : null;
    const entry = toEntry(
      values,
      { id: values.equipmentId, name, lastReading },
      { clientId: randomId(), now: then ?? new Date() },
    );
    // What is corrected had its time compared when it was sent.
    return { ...entry, ...(then ? { clockChecked: true } : clockAtCapture()) };
  }

  async function send(entry: OutboxEntry): Promise<void> {
    if (submitting.current) return;
    submitting.current = true;
    const meter = desk.meterOf(entry.equipmentId);
    setPending({ last: meter && desk.lastOf(meter) });
    setQuestion(null);
    const outcome = await desk.outbox.submit(entry, correction?.replacedId ?? null, onStored);
    submitting.current = false;
    setPending(null);
    asked.current = null;
    if (outcome.kind === "sent" || outcome.kind === "refused") onStored();
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

  const again = useRef(() => undefined as void);
  useEffect(() => {
    again.current = () => {
      // Submits once, however often the list changes: a second time would confirm the question unseen.
      setWaiting(false);
      void form.handleSubmit(submit)();
    };
  });
  const { state } = desk.list;
  const listed = isListed(desk);
  useEffect(() => {
    if (waiting && state !== "loading") again.current();
  }, [waiting, state]);
  useEffect(() => {
    const { error } = form.getFieldState("equipmentId");
    if (listed && error?.message === notListed) form.clearErrors("equipmentId");
  }, [form, listed]);

  const ask = (entry: OutboxEntry) =>
    questionAbout(entry, desk.meterOf(entry.equipmentId), {
      meters: desk.list.meters,
      reports: desk.reports,
      oftenUsed: desk.atHand.map((meter) => meter.equipmentId),
    });

  async function submit(values: UpdateValues): Promise<void> {
    if (submitting.current) return;
    setWaiting(false);
    const entry = entryOf(values);
    // Hours added to a machine that nothing is known of lead to no reading.
    const lost = entry?.reading === null && values.reading.trim() !== "";
    if (!entry || lost) {
      // It came back with a draft, before the list of machines or without being in it any more.
      if (desk.list.state === "loading") setWaiting(true);
      else form.setError("equipmentId", { message: isListed(desk) ? noEquipment : notListed });
      return;
    }
    if ((entry.reading ?? 0) > largestQuantity) {
      form.setError("reading", { message: key("operator.errors.invalidUsage") });
      return;
    }
    const doubt = asked.current === sameAsAsked(entry) ? null : ask(entry);
    if (!doubt) return send(entry);
    asked.current = sameAsAsked(entry);
    setQuestion(doubt);
  }

  /** Puts what was meant into the form, where it stays should it be refused, and sends it. */
  async function repair(chosen: Repair): Promise<void> {
    if (chosen.kind === "replaced") {
      const notes = form.getValues("notes").trim();
      form.setValue(
        "notes",
        [notes, replacedNote(question?.meter.unit)].filter(Boolean).join("\n"),
      );
    }
    if (chosen.kind === "reading") {
      form.setValue("mode", "reading");
      form.setValue("reading", String(chosen.reading));
    }
    if (chosen.kind === "machine") {
      // Hours added were meant for the first machine; on the other it is the reading that fits.
      if (question?.entry.reading != null) form.setValue("reading", String(question.entry.reading));
      form.setValue("mode", "reading");
      form.setValue("equipmentId", chosen.meter.equipmentId);
    }
    if (chosen.kind === "fuel") form.setValue("fuel", String(chosen.fuel));
    const entry = entryOf(form.getValues());
    if (!entry) return;
    asked.current = sameAsAsked(entry);
    // What else was in doubt is still to be answered.
    const left = chosen.kind === "none" || chosen.kind === "replaced" ? null : ask(entry);
    if (left) setQuestion(left);
    else await send(entry);
  }

  return {
    pending,
    waiting,
    question,
    submit,
    repair,
    goBack: () => setQuestion(null),
  };
}
