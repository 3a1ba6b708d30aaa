import { clsx } from "clsx";
import { ChevronDown, Search } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { FieldFrame, inputClass, useFieldAria } from "#/shared/form/field-frame";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { EquipmentSheet } from "../lazy-parts";
import type { FieldMachine } from "../offline-data/machines";
import { NotUsable } from "./not-usable";
import { PinButton } from "./pin-button";
import { QuickMachines } from "./quick-machines";
import { UnitNumber } from "#/shared/ui/unit-number";
import type { OperatorPageState } from "../use-operator-page";

/** Buttons for quick machines, and a field that opens the list of all. */
export function EquipmentField({
  page,
  chosenId,
  fallbackName,
  error,
  onChoose,
  nextField,
}: {
  page: OperatorPageState;
  /** Empty if no machine is chosen. */
  chosenId: string;
  /** Shown if the chosen machine is not in the list, e.g. because it was retired. */
  fallbackName: string | undefined;
  error: string | undefined;
  onChoose: (machine: FieldMachine) => void;
  /** The field to focus after a choice. Null if none is required. */
  nextField: () => HTMLElement | null;
}) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const justChosen = useRef(false);
  const aria = useFieldAria(undefined, error);
  const chosen = page.machineOf(chosenId);
  const name = chosen?.name ?? (chosenId ? fallbackName : undefined);

  const choose = (machine: FieldMachine) => {
    justChosen.current = true;
    // Synchronous, because phones open the keypad only for a focus within the press event.
    flushSync(() => {
      onChoose(machine);
      setOpen(false);
    });
    (nextField() ?? document.getElementById(aria.id))?.focus();
  };
  return (
    <>
      <FieldFrame id={aria.id} label={t("operator.form.equipment")} error={error}>
        {!name && <QuickMachines page={page} onChoose={choose} />}
        <div className="flex items-center gap-1">
          <button
            id={aria.id}
            aria-describedby={clsx(`${aria.id}-value`, aria["aria-describedby"])}
            data-invalid={aria["aria-invalid"]}
            type="button"
            aria-haspopup="dialog"
            onClick={() => {
              justChosen.current = false;
              setOpen(true);
            }}
            className={clsx(
              inputClass,
              "flex items-center justify-between gap-3 py-2 text-left",
              error && "border-danger ring-1 ring-danger",
            )}
          >
            <span id={`${aria.id}-value`} className="min-w-0">
              {name ? (
                <>
                  <span className="block font-semibold break-words">{name}</span>
                  {chosen && <Kind machine={chosen} />}
                </>
              ) : (
                <span className="flex items-center gap-2.5 text-muted">
                  <Search aria-hidden className="size-5 shrink-0" />
                  {t("operator.picker.searchAll")}
                </span>
              )}
            </span>
            <ChevronDown aria-hidden className="size-5 shrink-0 text-muted" />
          </button>
          {chosen && (
            <PinButton
              name={chosen.name}
              pinned={page.isPinned(chosen.equipmentId)}
              onToggle={() => page.togglePin(chosen.equipmentId)}
            />
          )}
        </div>
      </FieldFrame>
      {(open || page.list.state !== "loading") && (
        <Suspense fallback={open && <SkeletonRows label={t("common.loading")} />}>
          <EquipmentSheet
            open={open}
            onOpenChange={setOpen}
            page={page}
            chosenId={chosenId}
            onChoose={choose}
            focusAfter={() => (justChosen.current ? nextField() : null)}
          />
        </Suspense>
      )}
    </>
  );
}

function Kind({ machine }: { machine: FieldMachine }) {
  const labels = useEquipmentLabels();
  return (
    <span className="flex flex-wrap gap-x-2 text-sm text-muted">
      <NotUsable machine={machine} />
      <span>
        <UnitNumber number={machine.unitNumber} />
        {labels.type(machine.type)}
      </span>
      {machine.serialNumber && <span className="font-mono">{machine.serialNumber}</span>}
    </span>
  );
}
