import { Hammer, Package, Tractor, Truck, type LucideIcon } from "lucide-react";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { TypeWord } from "#/domain/equipment-types";
import { typeWord, unitWord } from "#/domain/equipment-wire";
import type { SearchOption } from "#/shared/ui/search-list";
import { UnitNumber } from "#/shared/ui/unit-number";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useReadingAge } from "../table/reading-age";

const icons: Record<TypeWord, LucideIcon> = {
  vehicle: Truck,
  machinery: Tractor,
  tools: Hammer,
  other: Package,
};

/** A machine as a search result: its name and unit number, its meter and serial number. */
export function useMachineOption(): (machine: Equipment, onChoose: () => void) => SearchOption {
  const labels = useEquipmentLabels();
  const age = useReadingAge();
  return (machine, onChoose) => {
    const Icon = icons[typeWord(machine.type)];
    const unit = unitWord(machine.unit);
    const meter = unit === "n/a" ? "" : labels.amount(machine.meterReading, unit);
    return {
      key: machine.id,
      icon: <Icon aria-hidden className="size-5 shrink-0 text-muted" />,
      label: (
        <>
          <UnitNumber number={machine.unitNumber} />
          {machine.name}
        </>
      ),
      note: [meter, age(machine), machine.serialNumber].filter(Boolean).join(" · "),
      onChoose,
    };
  };
}
