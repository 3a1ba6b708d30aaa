import i18next from "i18next";
import LanguageDetector from "i18next-browser-languagedetector";
import { initReactI18next } from "react-i18next";

export const languages = ["en", "es"] as const;
export type Language = (typeof languages)[number];

export const languageStorageKey = "language";

/** One file a feature; its name is the first part of every key in it. */
export function bundle(files: Record<string, object>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(files).map(([path, texts]) => [
      path.slice(path.lastIndexOf("/") + 1, -".json".length),
      texts,
    ]),
  );
}

// What a visitor reads, and no more, so that the landing page is there at once; `all-texts.ts` adds
// the rest.
const en = import.meta.glob<object>(
  "./locales/en/{common,contact,errors,landing,plans,shell}.json",
  { eager: true, import: "default" },
);
const es = import.meta.glob<object>(
  "./locales/es/{common,contact,errors,landing,plans,shell}.json",
  { eager: true, import: "default" },
);

export function isLanguage(value: unknown): value is Language {
  return languages.some((language) => language === value);
}

export function currentLanguage(): Language {
  const language = i18next.resolvedLanguage;
  return isLanguage(language) ? language : "en";
}

export async function changeLanguage(language: Language): Promise<void> {
  await i18next.changeLanguage(language);
}

/** The stored choice, or without one the browser's language, as at the first visit. */
export async function detectLanguage(): Promise<void> {
  await i18next.changeLanguage();
}

i18next.on("languageChanged", () => {
  document.documentElement.lang = currentLanguage();
});

void i18next
  .use(LanguageDetector)
  .use(initReactI18next)
  .init({
    resources: { en: { translation: bundle(en) }, es: { translation: bundle(es) } },
    supportedLngs: languages,
    nonExplicitSupportedLngs: true,
    load: "languageOnly",
    fallbackLng: "en",
    initAsync: false,
    returnNull: false,
    interpolation: { escapeValue: false },
    detection: {
      order: ["localStorage", "navigator"],
      caches: ["localStorage"],
      lookupLocalStorage: languageStorageKey,
      // "es-MX" is kept as "es", the choice that the switch offers.
      convertDetectedLanguage: (tag) => tag.slice(0, 2),
    },
  });
