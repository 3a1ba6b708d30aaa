import type { FieldMeter } from "../offline-data/meters";

/** "Grúa" is found by "grua": nobody looks for accents on a phone's keyboard. */
function plain(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{Diacritic}/gu, "")
    .toLowerCase();
}

/** Machines with every word of the search in name or numbers; those that begin with it come first. */
export function findMachines(meters: readonly FieldMeter[], search: string): FieldMeter[] {
  const wanted = plain(search).trim();
  const words = wanted.split(/\s+/);
  const found = meters.filter((meter) => {
    const text = plain(`${meter.unitNumber ?? ""} ${meter.name} ${meter.serialNumber ?? ""}`);
    return words.every((word) => text.includes(word));
  });
  const begins = ({ name, unitNumber }: FieldMeter) =>
    Number([name, unitNumber ?? ""].some((text) => plain(text).startsWith(wanted)));
  return found.sort((one, other) => begins(other) - begins(one));
}

/** Pinned ones first, then those that this person reported about last; each once, while it exists. */
export function closeAtHand(
  meters: readonly FieldMeter[],
  pins: readonly string[],
  newestFirst: readonly string[],
  most = 6,
): FieldMeter[] {
  const byId = new Map(meters.map((meter) => [meter.equipmentId, meter]));
  return [...new Set([...pins, ...newestFirst])]
    .flatMap((id) => byId.get(id) ?? [])
    .slice(0, Math.max(most, pins.length));
}
