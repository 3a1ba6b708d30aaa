import { clsx } from "clsx";
import { Check, Hammer, Package, Tractor, Truck, type LucideIcon } from "lucide-react";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { typeWord, type TypeWord } from "#/domain/equipment-words";
import { useEquipmentLabels } from "#/domain/use-equipment-labels";
import { useLastReading } from "./last-reading";

const icons: Record<TypeWord, LucideIcon> = {
  vehicle: Truck,
  machinery: Tractor,
  tools: Hammer,
  other: Package,
};

/** One big row of the picker: a thumb in a glove hits it. */
export function EquipmentRow({
  equipment,
  chosen,
  onChoose,
}: {
  equipment: Equipment;
  chosen: boolean;
  onChoose: (equipment: Equipment) => void;
}) {
  const labels = useEquipmentLabels();
  const lastReading = useLastReading();
  const type = typeWord(equipment.type);
  const Icon = icons[type];
  return (
    <button
      type="button"
      aria-pressed={chosen}
      onClick={() => onChoose(equipment)}
      className={clsx(
        "flex min-h-18 w-full items-center gap-3 rounded-touch px-2 py-2.5 text-left hover:bg-sunken",
        chosen && "bg-accent-soft",
      )}
    >
      <span className="grid size-11 shrink-0 place-items-center rounded-touch bg-sunken text-muted">
        <Icon aria-hidden className="size-5" />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block leading-snug font-semibold">{equipment.name}</span>
        <span className="flex flex-wrap gap-x-2 text-sm text-muted">
          <span>{labels.type(type)}</span>
          {equipment.serialNumber && <span className="font-mono">{equipment.serialNumber}</span>}
        </span>
        <span className="block text-sm text-muted">{lastReading(equipment)}</span>
      </span>
      {chosen && <Check aria-hidden className="size-5 shrink-0 text-accent" />}
    </button>
  );
}
