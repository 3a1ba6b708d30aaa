import { cacheKeys } from "#/device/person";
import { storedIds, useStoredIds } from "../send/stored-ids";
import { perUserSingleton, useUserDeps } from "../offline-data/per-user";

const pinsOf = perUserSingleton(({ userId }) => storedIds(cacheKeys.pins(userId)));

/** The user's pinned machines on this device, in the order of pinning. */
export function usePins(): { pins: readonly string[]; toggle: (equipmentId: string) => void } {
  const store = pinsOf(useUserDeps());
  const { ids } = useStoredIds(store);
  return { pins: ids, toggle: (equipmentId) => void store.toggle(equipmentId) };
}
