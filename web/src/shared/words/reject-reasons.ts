import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { currentLanguage, type Language } from "#/i18n";

/** The suggested reasons as in `review.reasons`, because a page has the texts of one language. */
export const suggestedReasons: Record<Language, readonly string[]> = {
  en: ["Wrong machine", "Typing error", "Duplicate", "Machine no longer in use"],
  es: ["Equipo equivocado", "Error al escribir", "Duplicado", "El equipo ya no está en uso"],
};

/** Translates a suggested reason from either language; returns other reasons unchanged. */
export function useReasonText(): (reason: string) => string {
  useTranslation();
  const texts = suggestedReasons[currentLanguage()];
  return useCallback(
    (reason) =>
      Object.values(suggestedReasons)
        .map((each) => texts[each.indexOf(reason.trim())])
        .find(Boolean) ?? reason,
    [texts],
  );
}
