import { EquipmentOrder } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { sortWords, type EquipmentFilter, type SortWord } from "#/domain/equipment-filter";
import type { Sort } from "#/shared/table/column";
import type { PageOrder } from "./equipment-pages";

const orders: Record<SortWord, EquipmentOrder> = {
  name: EquipmentOrder.NAME,
  urgency: EquipmentOrder.URGENCY,
  usage: EquipmentOrder.USAGE,
  updated: EquipmentOrder.UPDATED,
  due: EquipmentOrder.DUE,
};

/** The order in the filter, else the screen's default. */
export function orderOf({ sort, desc = false }: EquipmentFilter, own: SortWord): PageOrder {
  return { order: orders[sort ?? own], descending: sort !== undefined && desc };
}

/** The order as the state of a column heading. */
export function sortOf({ sort, desc = false }: EquipmentFilter, own: SortWord): Sort {
  return { id: sort ?? own, descending: sort !== undefined && desc };
}

/** The filter change of a pressed heading. */
export function changeOfSort(sort: Sort | null): Pick<EquipmentFilter, "sort" | "desc"> {
  const word = sortWords.find((each) => each === sort?.id);
  return { sort: word, desc: word && sort?.descending ? true : undefined };
}
