import { plainText } from "#/domain/names";
import { guideEntries } from "./sections";

/**
 * The sections that contain every typed word, in any order, ignoring accents. It searches the
 * rendered text, so it matches the reader's language.
 */
export function searchGuide(search: string, page: Document = document): ReadonlySet<string> {
  const words = plainText(search).split(/\s+/).filter(Boolean);
  const found = guideEntries.filter(({ id }) => {
    const text = plainText(page.getElementById(id)?.textContent ?? "");
    return words.every((word) => text.includes(word));
  });
  return new Set(found.map(({ id }) => id));
}
