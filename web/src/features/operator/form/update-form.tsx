import { Suspense, useEffect, useRef } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { presetFuelKind } from "#/domain/equipment-words";
import { FieldFrame, useFieldAria } from "#/shared/form/field-frame";
import { useFuelUnit } from "#/shared/format/fuel-unit";
import { CheckboxInput } from "#/shared/form/inputs/checkbox-input";
import { Button } from "#/shared/ui/button";
import { Segmented } from "#/shared/ui/segmented";
import { UnitInput } from "#/shared/ui/unit-input";
import { CheckSheet, CorrectionNotice, RestoredLine } from "../lazy-parts";
import type { Correction } from "./correction";
import type { Drafts } from "./drafts";
import { EquipmentField } from "../picker/equipment-field";
import { NotesField } from "./notes-field";
import type { OutboxEntry } from "../send/outbox-entry";
import { ReadingField } from "./reading-field";
import { emptyUpdate } from "./schema";
import { SentLine } from "../history/sent-line";
import type { OperatorPageState } from "../use-operator-page";
import { useSubmit } from "./use-submit";
import { useUpdateForm } from "./use-update-form";

const readingInput = "[data-reading-input]";

export function UpdateForm({
  page,
  drafts,
  correction,
  onCorrection,
  onBegin,
  onSubmitted,
}: {
  page: OperatorPageState;
  drafts: Drafts;
  correction: Correction | null;
  onCorrection: (correction: Correction | null) => void;
  /** Called when a machine is chosen for the next entry. */
  onBegin: () => void;
  onSubmitted: (entry: OutboxEntry) => void;
}) {
  const { t } = useTranslation();
  const fuelUnit = useFuelUnit();
  const element = useRef<HTMLFormElement>(null);
  const form = useUpdateForm({ page, drafts, correction });
  const { values, change, restored } = form;
  const { pending, waiting, question, problems, submit, applyFix, goBack } = useSubmit({
    page,
    form,
    correction,
    onRefused: onCorrection,
    onSubmitted: (entry) => {
      form.clear(emptyUpdate);
      onSubmitted(entry);
    },
  });
  const machine = page.machineOf(values.equipmentId);
  const last = pending ? pending.last : machine && page.lastOf(machine);
  const fuelError = problems.fuel && t(problems.fuel);
  const fuelAria = useFieldAria(undefined, fuelError);

  const inForm = (selector: string) =>
    element.current?.querySelector<HTMLElement>(selector) ?? null;

  useEffect(() => {
    if (!correction) return;
    const input = element.current?.querySelector<HTMLInputElement>(readingInput);
    input?.focus();
    input?.select();
  }, [correction]);

  return (
    <form
      ref={element}
      noValidate
      aria-label={t("operator.form.title")}
      onSubmit={(event) => {
        event.preventDefault();
        flushSync(submit);
        inForm("[data-invalid]")?.focus();
      }}
      className="space-y-4"
    >
      <Suspense>
        {correction && (
          <CorrectionNotice
            correction={correction}
            readThen={form.readThen}
            onReadThen={form.setReadThen}
            onStop={() => {
              form.clear();
              onCorrection(null);
            }}
          />
        )}
        {restored && <RestoredLine writtenAt={restored.writtenAt} onDiscard={() => form.clear()} />}
      </Suspense>
      <EquipmentField
        page={page}
        chosenId={values.equipmentId}
        fallbackName={form.equipmentName}
        error={problems.equipmentId && t(problems.equipmentId)}
        onChoose={({ equipmentId, fuel }) => {
          change({ equipmentId, fuelKind: presetFuelKind(fuel) });
          onBegin();
        }}
        nextField={() => inForm(readingInput)}
      />
      <ReadingField
        // Resets the choice to add a reading for a machine without a meter.
        key={machine?.equipmentId}
        machine={machine}
        last={last}
        mode={values.mode}
        reading={values.reading}
        error={problems.reading && t(problems.reading)}
        onChange={change}
      />
      <Segmented
        label={t("operator.form.fuelType")}
        value={values.fuelKind}
        onChange={(fuelKind) => change({ fuelKind })}
        options={[
          { value: "gas", label: t("labels.fuelKinds.gas") },
          { value: "diesel", label: t("labels.fuelKinds.diesel") },
        ]}
      />
      <FieldFrame id={fuelAria.id} label={t("operator.form.fuel")} optional error={fuelError}>
        <UnitInput
          {...fuelAria}
          data-invalid={fuelAria["aria-invalid"]}
          unit={fuelUnit}
          placeholder="0.0"
          value={values.fuel}
          onChange={(event) => change({ fuel: event.target.value })}
        />
      </FieldFrame>
      <CheckboxInput
        label={t("operator.form.fullFill")}
        checked={values.fullFill}
        onChange={(event) => change({ fullFill: event.target.checked })}
      />
      <NotesField value={values.notes} onChange={(notes) => change({ notes })} />
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
      <SentLine outbox={page.outbox} />
      {page.list.state !== "loading" && (
        <Suspense>
          <CheckSheet
            question={question}
            onFix={applyFix}
            onDrop={() => {
              goBack();
              form.clear(emptyUpdate);
              onCorrection(null);
            }}
            onBack={goBack}
          />
        </Suspense>
      )}
    </form>
  );
}
