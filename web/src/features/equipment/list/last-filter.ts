import type { EquipmentFilter } from "#/domain/equipment-filter";

let last: EquipmentFilter = {};

/** Remembers the list's filter in this tab, for links back to the list. */
export const rememberFilter = (filter: EquipmentFilter): void => {
  last = filter;
};

export const lastFilter = (): EquipmentFilter => last;
