import { clsx } from "clsx";
import { ChevronDown, Search } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { FieldFrame, inputClass, useFieldAria } from "#/shared/form/field-frame";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { EquipmentSheet } from "../lazy-parts";
import type { FieldMeter } from "../offline-data/meters";
import { PinButton } from "./pin-button";
import { QuickMachines } from "./quick-machines";
import { UnitNumber } from "#/shared/ui/unit-number";
import type { Desk } from "../use-desk";

/** Big buttons for the machines at hand, and under them the field that opens the list of all. */
export function EquipmentField({
  desk,
  chosenId,
  fallbackName,
  error,
  onChoose,
  nextField,
}: {
  desk: Desk;
  /** Empty: none yet. */
  chosenId: string;
  /** Shown while the chosen machine is not in the list, e.g. because it was retired. */
  fallbackName: string | undefined;
  error: string | undefined;
  onChoose: (meter: FieldMeter) => void;
  /** Where to type next; null where there is nothing that everyone fills in. */
  nextField: () => HTMLElement | null;
}) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const justChosen = useRef(false);
  const aria = useFieldAria(undefined, error);
  const chosen = desk.meterOf(chosenId);
  const name = chosen?.name ?? (chosenId ? fallbackName : undefined);

  const choose = (meter: FieldMeter) => {
    justChosen.current = true;
    // At once, because a phone opens its keypad only for a focus within the press itself.
    flushSync(() => {
      onChoose(meter);
      setOpen(false);
    });
    (nextField() ?? document.getElementById(aria.id))?.focus();
  };
  return (
    <>
      <FieldFrame id={aria.id} label={t("operator.form.equipment")} error={error}>
        {!name && <QuickMachines desk={desk} onChoose={choose} />}
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
                  {chosen && <Kind meter={chosen} />}
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
              pinned={desk.isPinned(chosen.equipmentId)}
              onToggle={() => desk.togglePin(chosen.equipmentId)}
            />
          )}
        </div>
      </FieldFrame>
      {(open || desk.list.state !== "loading") && (
        <Suspense fallback={open && <SkeletonRows label={t("common.loading")} />}>
          <EquipmentSheet
            open={open}
            onOpenChange={setOpen}
            desk={desk}
            chosenId={chosenId}
            onChoose={choose}
            focusAfter={() => (justChosen.current ? nextField() : null)}
          />
        </Suspense>
      )}
    </>
  );
}

function Kind({ meter }: { meter: FieldMeter }) {
  const labels = useEquipmentLabels();
  return (
    <span className="flex flex-wrap gap-x-2 text-sm text-muted">
      <span>
        <UnitNumber number={meter.unitNumber} />
        {labels.type(meter.type)}
      </span>
      {meter.serialNumber && <span className="font-mono">{meter.serialNumber}</span>}
    </span>
  );
}
