import { clsx } from "clsx";
import { Check } from "lucide-react";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import type { LastKnown } from "../offline-data/last-known";
import { useLastReading } from "../form/use-last-reading";
import { UnitNumber } from "#/shared/ui/unit-number";
import { MachineIcon } from "./machine-icon";
import type { FieldMeter } from "../offline-data/meters";
import { PinButton } from "./pin-button";

/** One big row of the picker: a thumb in a glove hits it. The star beside it pins. */
export function EquipmentRow({
  meter,
  last,
  chosen,
  pinned,
  onChoose,
  onPin,
}: {
  meter: FieldMeter;
  last: LastKnown;
  chosen: boolean;
  pinned: boolean;
  onChoose: () => void;
  onPin: () => void;
}) {
  const labels = useEquipmentLabels();
  const lastReading = useLastReading();
  return (
    <div className={clsx("flex items-center gap-1 rounded-touch", chosen && "bg-accent-soft")}>
      <button
        type="button"
        aria-pressed={chosen}
        onClick={onChoose}
        className="flex min-h-18 min-w-0 flex-1 items-center gap-3 rounded-touch px-2 py-2.5 text-left hover:bg-sunken"
      >
        <MachineIcon type={meter.type} />
        <span className="min-w-0 flex-1">
          <span className="block leading-snug font-semibold">
            <UnitNumber number={meter.unitNumber} />
            {meter.name}
          </span>
          <span className="flex flex-wrap gap-x-2 text-sm text-muted">
            <span>{labels.type(meter.type)}</span>
            {meter.serialNumber && <span className="font-mono">{meter.serialNumber}</span>}
          </span>
          <span className="block text-sm text-muted">{lastReading(meter, last)}</span>
        </span>
        {chosen && <Check aria-hidden className="size-5 shrink-0 text-accent" />}
      </button>
      <PinButton name={meter.name} pinned={pinned} onToggle={onPin} />
    </div>
  );
}
