import type { FieldMachine } from "../offline-data/machines";

/** Ignores case and accents: "grua" finds "Grúa". */
function plain(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{Diacritic}/gu, "")
    .toLowerCase();
}

/** Machines whose name or numbers contain all words. Those that start with the search come first. */
export function findMachines(machines: readonly FieldMachine[], search: string): FieldMachine[] {
  const wanted = plain(search).trim();
  const words = wanted.split(/\s+/);
  const found = machines.filter((machine) => {
    const text = plain(`${machine.unitNumber ?? ""} ${machine.name} ${machine.serialNumber ?? ""}`);
    return words.every((word) => text.includes(word));
  });
  const begins = ({ name, unitNumber }: FieldMachine) =>
    Number([name, unitNumber ?? ""].some((text) => plain(text).startsWith(wanted)));
  return found.sort((one, other) => begins(other) - begins(one));
}

/** Pinned machines, then those reported last. Skips machines that no longer exist. */
export function quickMachinesOf(
  machines: readonly FieldMachine[],
  pins: readonly string[],
  newestFirst: readonly string[],
  limit = 6,
): FieldMachine[] {
  const byId = new Map(machines.map((machine) => [machine.equipmentId, machine]));
  return [...new Set([...pins, ...newestFirst])]
    .flatMap((id) => byId.get(id) ?? [])
    .slice(0, Math.max(limit, pins.length));
}
