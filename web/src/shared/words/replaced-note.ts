import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { currentLanguage, type Language } from "#/i18n";

/**
 * The note that the operators' form adds for a replaced meter. A copy of its texts, because a page
 * has the texts of one language.
 */
export const replacedNotes: Record<Language, string> = {
  en: "Meter replaced",
  es: "Medidor cambiado",
};

const isReplacedNote = (line: string) => Object.values(replacedNotes).includes(line.trim());

/** Whether an operator's notes report a replaced meter. */
export function saysReplaced(notes: string): boolean {
  return notes.split("\n").some(isReplacedNote);
}

/** An operator's notes for a place that says itself that the meter was replaced. */
export function withoutReplacedNote(notes: string): string {
  return notes
    .split("\n")
    .filter((line) => !isReplacedNote(line))
    .join("\n");
}

/** An operator's notes, with the note of a replaced meter in the reader's language. */
export function useNotesText(): (notes: string) => string {
  useTranslation();
  const own = replacedNotes[currentLanguage()];
  return useCallback(
    (notes) =>
      notes
        .split("\n")
        .map((line) => (isReplacedNote(line) ? own : line))
        .join("\n"),
    [own],
  );
}
