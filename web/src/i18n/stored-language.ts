import { isLanguage, languageStorageKey, type Language } from "./languages";

/** The language stored on this device; null if there is none. */
export function storedLanguage(): Language | null {
  try {
    const stored = localStorage.getItem(languageStorageKey);
    return isLanguage(stored) ? stored : null;
  } catch {
    return null;
  }
}

/** The stored language, else the browser's first one that there are texts in, else English. */
export function preferredLanguage(): Language {
  const ofBrowser = navigator.languages.map((tag) => tag.split("-")[0]?.toLowerCase());
  return storedLanguage() ?? ofBrowser.find(isLanguage) ?? "en";
}

/** Stores the language for the next visit, and for the gateway, which serves the landing page in it. */
export function storeLanguage(language: Language): void {
  try {
    localStorage.setItem(languageStorageKey, language);
  } catch {
    // Storage may be full or switched off; the choice then lasts as long as the page.
  }
  const secure = window.location.protocol === "https:" ? "; Secure" : "";
  const year = 365 * 24 * 60 * 60;
  document.cookie = `${languageStorageKey}=${language}; Path=/; Max-Age=${year}; SameSite=Lax${secure}`;
}
