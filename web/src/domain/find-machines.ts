import { plainText } from "./names";

interface Named {
  name: string;
  unitNumber?: string | null | undefined;
  serialNumber?: string | null | undefined;
}

/** Machines whose name or numbers contain all words. Those that start with the search come first. */
export function findMachines<Machine extends Named>(
  machines: readonly Machine[],
  search: string,
): Machine[] {
  const wanted = plainText(search).trim();
  const words = wanted.split(/\s+/);
  const found = machines.filter((machine) => {
    const text = plainText(
      `${machine.unitNumber ?? ""} ${machine.name} ${machine.serialNumber ?? ""}`,
    );
    return words.every((word) => text.includes(word));
  });
  const begins = ({ name, unitNumber }: Named) =>
    Number([name, unitNumber ?? ""].some((text) => plainText(text).startsWith(wanted)));
  return found.sort((one, other) => begins(other) - begins(one));
}
