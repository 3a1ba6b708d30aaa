import { clsx } from "clsx";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import type { Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { FieldFrame, inputClass, useField } from "#/shared/form/field-frame";
import { EquipmentSheet } from "./equipment-sheet";
import { useLastReading } from "./last-reading";
import type { Outbox } from "./outbox";
import { recentlyUsed, useEquipment, useOwnUpdates } from "./queries";
import type { UpdateValues } from "./schema";
import { useOutboxState } from "./use-outbox";

/** A button that looks like a field and opens the picker sheet; under the name, the last reading. */
export function EquipmentField({
  control,
  outbox,
  fallbackName,
  onChosen,
}: {
  control: Control<UpdateValues>;
  outbox: Outbox;
  /** Shown while the chosen equipment is not in the list, e.g. because it was retired. */
  fallbackName: string | undefined;
  onChosen: (equipment: Equipment) => void;
}) {
  const { t } = useTranslation();
  const lastReading = useLastReading();
  const [open, setOpen] = useState(false);
  const label = t("operator.form.equipment");
  const {
    field: { ref, onChange },
    text,
    error,
    aria,
  } = useField({ control, name: "equipmentId", label });
  const query = useEquipment();
  const equipment = query.data?.equipment ?? [];
  const sent = useOwnUpdates().data?.pages.flatMap((page) => page.updates) ?? [];
  const { entries } = useOutboxState(outbox);
  const recent = recentlyUsed(equipment, [
    ...entries.map((entry) => entry.equipmentId).toReversed(),
    ...sent.map((update) => update.equipmentId),
  ]);
  const chosen = equipment.find((each) => each.id === text);
  const name = chosen?.name ?? (text ? fallbackName : undefined);
  return (
    <>
      <FieldFrame id={aria.id} label={label} error={error}>
        <button
          id={aria.id}
          aria-describedby={aria["aria-describedby"]}
          ref={ref}
          type="button"
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
          className={clsx(
            inputClass,
            "flex items-center justify-between gap-3 py-2 text-left",
            error && "border-danger ring-1 ring-danger",
          )}
        >
          <span className="min-w-0">
            <span className={clsx("block", name ? "font-semibold" : "text-muted")}>
              {name ?? t("operator.picker.choose")}
            </span>
            {chosen && (
              <span className="block text-sm text-muted">
                {t("operator.picker.lastReading", { reading: lastReading(chosen) })}
              </span>
            )}
          </span>
          <ChevronDown aria-hidden className="size-5 shrink-0 text-muted" />
        </button>
      </FieldFrame>
      <EquipmentSheet
        open={open}
        onOpenChange={setOpen}
        query={query}
        recent={recent}
        chosenId={text}
        onChoose={(next) => {
          onChange(next.id);
          onChosen(next);
          setOpen(false);
        }}
      />
    </>
  );
}
