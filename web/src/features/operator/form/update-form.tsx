import { Suspense, useEffect, useRef } from "react";
import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { equipmentFuelOnWire, presetFuelKind } from "#/domain/equipment-words";
import { NumberField } from "#/shared/form/fields/number-field";
import { useAppForm } from "#/shared/form/use-app-form";
import { useFuelUnit } from "#/shared/format/fuel-unit";
import { Button } from "#/shared/ui/button";
import { Segmented } from "#/shared/ui/segmented";
import { CheckSheet, RestoredLine } from "../lazy-parts";
import type { Correction } from "./correction";
import { CorrectionNotice } from "./correction-notice";
import type { Drafts } from "./drafts";
import { EquipmentField } from "../picker/equipment-field";
import { NotesField } from "./notes-field";
import type { OutboxEntry } from "../send/outbox-entry";
import { ReadingField } from "./reading-field";
import { emptyUpdate, updateSchema } from "./schema";
import { SentLine } from "../history/sent-line";
import type { Desk } from "../use-desk";
import { useBegun, useDraft } from "./use-draft";
import { useSubmit } from "./use-submit";

export function UpdateForm({
  desk,
  drafts,
  correction,
  onCorrection,
  onBegin,
  onKept,
}: {
  desk: Desk;
  drafts: Drafts;
  /** What was not accepted and is being corrected. */
  correction: Correction | null;
  onCorrection: (correction: Correction | null) => void;
  /** A machine was chosen: what was sent before it is done with. */
  onBegin: () => void;
  onKept: (entry: OutboxEntry) => void;
}) {
  const { t } = useTranslation();
  const fuelUnit = useFuelUnit();
  const element = useRef<HTMLFormElement>(null);
  const begun = useBegun(drafts, correction);
  const form = useAppForm(updateSchema, begun?.values ?? correction?.values ?? emptyUpdate);
  const { field: fuelKind } = useController({ control: form.control, name: "fuelKind" });
  const draft = useDraft({ desk, drafts, form, correction, begun });
  const { readThen, restored } = draft;
  const meter = desk.meterOf(form.watch("equipmentId"));
  const { pending, waiting, question, submit, repair, goBack } = useSubmit({
    desk,
    form,
    correction,
    readThen,
    onRefused: onCorrection,
    onStored: draft.finish,
    onKept: (entry) => {
      // Whoever writes down hours goes on doing so.
      draft.reset({ ...emptyUpdate, mode: correction ? "reading" : form.getValues("mode") });
      onKept(entry);
    },
  });

  const last = pending ? pending.last : meter && desk.lastOf(meter);

  // A correction starts at the first field, where the person who pressed Edit looks next.
  useEffect(() => {
    if (correction) form.setFocus("reading", { shouldSelect: true });
  }, [correction, form]);

  const inForm = (selector: string) =>
    element.current?.querySelector<HTMLElement>(selector) ?? null;
  return (
    <form
      ref={element}
      noValidate
      aria-label={t("operator.form.title")}
      onSubmit={(event) => void form.handleSubmit(submit)(event)}
      className="space-y-4"
    >
      {correction && (
        <CorrectionNotice
          correction={correction}
          readThen={readThen}
          onReadThen={draft.setReadThen}
          onStop={() => {
            draft.drop();
            onCorrection(null);
          }}
        />
      )}
      <Suspense>
        {restored && <RestoredLine writtenAt={restored.writtenAt} onDiscard={draft.discard} />}
      </Suspense>
      <EquipmentField
        control={form.control}
        desk={desk}
        fallbackName={draft.equipmentName}
        onChosen={(next) => {
          fuelKind.onChange(presetFuelKind(equipmentFuelOnWire[next.fuel]));
          onBegin();
        }}
        nextField={() => inForm("[data-reading-input]")}
      />
      <ReadingField
        // Whether a reading is wanted from a machine without a meter is asked of each.
        key={meter?.equipmentId}
        control={form.control}
        meter={meter}
        last={last}
      />
      <Segmented
        label={t("operator.form.fuelType")}
        value={fuelKind.value}
        onChange={fuelKind.onChange}
        options={[
          { value: "gas", label: t("operator.form.gas") },
          { value: "diesel", label: t("operator.form.diesel") },
        ]}
      />
      <NumberField
        control={form.control}
        name="fuel"
        label={t("operator.form.fuel")}
        unit={fuelUnit}
        placeholder="0.0"
        optional
      />
      <NotesField control={form.control} focus={() => inForm("textarea")?.focus()} />
      <div className="sticky bottom-0 z-10 -mx-4 border-t border-line bg-surface px-4 py-2.5 lg:static lg:mx-0 lg:border-0 lg:px-0">
        <Button
          type="submit"
          variant="primary"
          size="large"
          wide
          pending={pending !== null || waiting}
          pendingLabel={t("operator.form.pending")}
        >
          {t("operator.form.submit")}
        </Button>
      </div>
      <SentLine outbox={desk.outbox} />
      {desk.list.state !== "loading" && (
        <Suspense>
          <CheckSheet
            question={question}
            onRepair={(chosen) => void repair(chosen)}
            onDrop={() => {
              goBack();
              draft.drop();
              draft.reset(emptyUpdate);
              onCorrection(null);
            }}
            onBack={goBack}
          />
        </Suspense>
      )}
    </form>
  );
}
