import { keptKeys } from "#/device/person";
import { keptIds, useKeptIds } from "../send/storage-ids";
import { perPerson, usePerson } from "../offline-data/per-person";

const pinsOf = perPerson(({ userId }) => keptIds(keptKeys.pins(userId)));

/** The machines a person has pinned on this device, in the order of pinning. */
export function usePins(): { pins: readonly string[]; toggle: (equipmentId: string) => void } {
  const store = pinsOf(usePerson());
  const { ids } = useKeptIds(store);
  return { pins: ids, toggle: (equipmentId) => void store.toggle(equipmentId) };
}
