import type { EquipmentFilter } from "#/domain/equipment-filter";
import { useEquipmentPages } from "../table/equipment-pages";
import { orderOf } from "../table/order";

/** The equipment of the overview, overdue first unless sorted otherwise. */
export function useOverviewPages(filter: EquipmentFilter) {
  return useEquipmentPages(filter, orderOf(filter, "urgency"));
}
