import { QueryClientContext } from "@tanstack/react-query";
import { useContext } from "react";
import { changeLanguage, type Language } from "#/i18n";

/**
 * Returns a function that changes the language on this device, and in the account of a signed-in
 * person.
 */
export function useChooseLanguage(): (language: Language) => void {
  // The sign-in page has no client, and no signed-in person.
  const client = useContext(QueryClientContext);
  return (language) => {
    void changeLanguage(language);
    if (!client) return;
    // Not in the first page's code. Without signal, the account keeps its language.
    import("./save-language")
      .then((part) => part.saveLanguage(client, language))
      .catch(() => undefined);
  };
}
