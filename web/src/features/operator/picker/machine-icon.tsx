import { Hammer, Package, Tractor, Truck, type LucideIcon } from "lucide-react";
import type { TypeWord } from "#/domain/equipment-types";

const icons: Record<TypeWord, LucideIcon> = {
  vehicle: Truck,
  machinery: Tractor,
  tools: Hammer,
  other: Package,
};

export function MachineIcon({ type }: { type: TypeWord }) {
  const Icon = icons[type];
  return (
    <span className="grid size-11 shrink-0 place-items-center rounded-touch bg-sunken text-muted">
      <Icon aria-hidden className="size-5" />
    </span>
  );
}
