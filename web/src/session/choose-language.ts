import { changeLanguage, type Language } from "#/i18n";

/** Changes the language on this device, and in the account of a signed-in person. */
export function chooseLanguage(language: Language): void {
  void changeLanguage(language);
  // Not in the first page's code. Without signal, the account keeps its language.
  import("./save-language").then((part) => part.saveLanguage(language)).catch(() => undefined);
}
