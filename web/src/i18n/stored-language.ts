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

/** The stored language, else the browser's first supported one, else English. */
export function preferredLanguage(): Language {
  const ofBrowser = navigator.languages.map((tag) => tag.split("-")[0]?.toLowerCase());
  return storedLanguage() ?? ofBrowser.find(isLanguage) ?? "en";
}

/**
 * Stores the language for the next visit and for the gateway, which serves the landing page in it.
 */
export function storeLanguage(language: Language): void {
  try {
    localStorage.setItem(languageStorageKey, language);
  } catch {
    // Storage may be full or disabled; the choice then lasts until the page is closed.
  }
  const secure = window.location.protocol === "https:" ? "; Secure" : "";
  const year = 365 * 24 * 60 * 60;
  document.cookie = `${languageStorageKey}=${language}; Path=/; Max-Age=${year}; SameSite=Lax${secure}`;
}
