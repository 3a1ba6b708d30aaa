import { plainText } from "#/domain/names";
import type { FieldMachine } from "../offline-data/machines";

/** Machines whose name or numbers contain all words. Those that start with the search come first. */
export function findMachines(machines: readonly FieldMachine[], search: string): FieldMachine[] {
  const wanted = plainText(search).trim();
  const words = wanted.split(/\s+/);
  const found = machines.filter((machine) => {
    const text = plainText(
      `${machine.unitNumber ?? ""} ${machine.name} ${machine.serialNumber ?? ""}`,
    );
    return words.every((word) => text.includes(word));
  });
  const begins = ({ name, unitNumber }: FieldMachine) =>
    Number([name, unitNumber ?? ""].some((text) => plainText(text).startsWith(wanted)));
  return found.sort((one, other) => begins(other) - begins(one));
}
