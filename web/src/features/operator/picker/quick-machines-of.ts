import type { FieldMachine } from "../offline-data/machines";

/**
 * Pinned machines, then those reported last; all of them if there are few. In the order of the list,
 * so that a report moves none. Skips machines that no longer exist.
 */
export function quickMachinesOf(
  machines: readonly FieldMachine[],
  pins: readonly string[],
  newestFirst: readonly string[],
  limit = 6,
): FieldMachine[] {
  const byId = new Map(machines.map((machine) => [machine.equipmentId, machine]));
  const few = machines.length <= limit ? byId.keys() : [];
  const found = [...new Set([...pins, ...newestFirst, ...few])].filter((id) => byId.has(id));
  const shown = new Set(found.slice(0, Math.max(limit, pins.length)));
  return [...new Set([...pins, ...byId.keys()])].flatMap((id) =>
    shown.has(id) ? (byId.get(id) ?? []) : [],
  );
}
