import { plainText } from "./names";

interface Named {
  name: string;
  unitNumber?: string | null | undefined;
  serialNumber?: string | null | undefined;
}

/** Machines whose name or numbers contain all words, the best matches first. */
export function findMachines<Machine extends Named>(
  machines: readonly Machine[],
  search: string,
): Machine[] {
  const words = plainText(search).trim().split(/\s+/);
  const found = machines.filter((machine) => {
    const text = plainText(
      `${machine.unitNumber ?? ""} ${machine.name} ${machine.serialNumber ?? ""}`,
    );
    return words.every((word) => text.includes(word));
  });
  return bestFirst(found, search);
}

/**
 * The machines whose name or unit number starts with the search, then those with a word that does,
 * then the others, each in the given order.
 */
export function bestFirst<Machine extends Named>(
  machines: readonly Machine[],
  search: string,
): Machine[] {
  const wanted = plainText(search).trim();
  const rank = ({ name, unitNumber }: Named) => {
    const texts = [name, unitNumber ?? ""].map(plainText);
    if (texts.some((text) => text.startsWith(wanted))) return 0;
    return texts.some((text) => text.includes(` ${wanted}`)) ? 1 : 2;
  };
  return machines.toSorted((one, other) => rank(one) - rank(other));
}
