import { guideEntries } from "./sections";

const plain = (text: string) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/**
 * The sections that contain every typed word, in any order, ignoring accents. It searches the
 * rendered text, so it matches the reader's language.
 */
export function searchGuide(search: string, page: Document = document): ReadonlySet<string> {
  const words = plain(search).split(/\s+/).filter(Boolean);
  const found = guideEntries.filter(({ id }) => {
    const text = plain(page.getElementById(id)?.textContent ?? "");
    return words.every((word) => text.includes(word));
  });
  return new Set(found.map(({ id }) => id));
}
