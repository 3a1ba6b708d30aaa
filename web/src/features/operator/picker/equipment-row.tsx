import { clsx } from "clsx";
import { Check } from "lucide-react";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import type { LastKnown } from "../offline-data/last-known";
import { useLastReading } from "../form/use-last-reading";
import { UnitNumber } from "#/shared/ui/unit-number";
import { MachineIcon } from "./machine-icon";
import { NotUsable } from "./not-usable";
import type { FieldMachine } from "../offline-data/machines";
import { PinButton } from "./pin-button";

/** Large enough to press with gloves. */
export function EquipmentRow({
  machine,
  last,
  chosen,
  pinned,
  onChoose,
  onPin,
}: {
  machine: FieldMachine;
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
        <MachineIcon type={machine.type} />
        <span className="min-w-0 flex-1">
          <span className="block leading-snug font-semibold">
            <UnitNumber number={machine.unitNumber} />
            {machine.name}
          </span>
          <span className="flex flex-wrap gap-x-2 text-sm text-muted">
            <NotUsable machine={machine} />
            <span>{labels.type(machine.type)}</span>
            {machine.serialNumber && <span className="font-mono">{machine.serialNumber}</span>}
          </span>
          <span className="block text-sm">{lastReading(machine, last)}</span>
        </span>
        {chosen && <Check aria-hidden className="size-5 shrink-0 text-accent" />}
      </button>
      <PinButton name={machine.name} pinned={pinned} onToggle={onPin} />
    </div>
  );
}
