import { useQueryClient } from "@tanstack/react-query";
import { changeLanguage, type Language } from "#/i18n";

/**
 * Returns a function that changes the language on this device, and in the account of a signed-in
 * person.
 */
export function useChooseLanguage(): (language: Language) => void {
  const client = useQueryClient();
  return (language) => {
    void changeLanguage(language);
    // Not in the first page's code. Without signal, the account keeps its language.
    import("./save-language")
      .then((part) => part.saveLanguage(client, language))
      .catch(() => undefined);
  };
}
