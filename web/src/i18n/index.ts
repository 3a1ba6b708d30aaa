import i18next from "i18next";
import LanguageDetector from "i18next-browser-languagedetector";
import { initReactI18next } from "react-i18next";
import { areas, type Area } from "./areas";
import { isLanguage, languages, languageStorageKey, type Language } from "./languages";

export { isLanguage, languages, languageStorageKey, type Language };

const files = import.meta.glob<object>("./locales/*/*.json", { import: "default" });
const namespace = "translation";

/** Areas that are in use, in every language that has been shown with them. */
const inUse = new Set<Area>();

async function addTexts(language: Language, area: Area): Promise<void> {
  await Promise.all(
    areas[area].map(async (name) => {
      if (i18next.getResource(language, namespace, name)) return;
      const texts = await files[`./locales/${language}/${name}.json`]?.();
      i18next.addResourceBundle(language, namespace, { [name]: texts }, true, true);
    }),
  );
}

/** Loads the texts of these areas; a later change of language includes them. */
export async function loadTexts(...wanted: Area[]): Promise<void> {
  for (const area of wanted) inUse.add(area);
  await Promise.all(wanted.map((area) => addTexts(currentLanguage(), area)));
}

/** Loads what refusals of the server say; without it they are shown as the server words them. */
export function loadRefusals(): Promise<void> {
  return loadTexts("refusals").catch(() => undefined);
}

/** Loads in every language what is in use, so that the language can change without a connection. */
export async function loadAllLanguages(): Promise<void> {
  await Promise.all(
    languages.flatMap((language) => [...inUse].map((area) => addTexts(language, area))),
  );
}

export function currentLanguage(): Language {
  // The resolved one is known once there are texts.
  const language = (i18next.resolvedLanguage ?? i18next.language).slice(0, 2);
  return isLanguage(language) ? language : "en";
}

export async function changeLanguage(language: Language): Promise<void> {
  await Promise.all([...inUse].map((area) => addTexts(language, area)));
  await i18next.changeLanguage(language);
}

/** The stored choice, or without one the browser's language, as at the first visit. */
export async function detectLanguage(): Promise<void> {
  const { languageDetector, languageUtils } = i18next.services;
  const language: unknown = languageUtils.getBestMatchFromCodes(
    [languageDetector?.detect()].flat(),
  );
  await changeLanguage(isLanguage(language) ? language : "en");
}

i18next.on("languageChanged", () => {
  document.documentElement.lang = currentLanguage();
});

void i18next
  .use(LanguageDetector)
  .use(initReactI18next)
  .init({
    resources: {},
    supportedLngs: languages,
    nonExplicitSupportedLngs: true,
    load: "languageOnly",
    fallbackLng: "en",
    initAsync: false,
    returnNull: false,
    interpolation: { escapeValue: false },
    detection: {
      order: ["localStorage", "navigator"],
      // The gateway serves the landing page in the language of the cookie.
      caches: ["localStorage", "cookie"],
      lookupLocalStorage: languageStorageKey,
      lookupCookie: languageStorageKey,
      cookieMinutes: 365 * 24 * 60,
      cookieOptions: { path: "/", sameSite: "lax" },
      // "es-MX" is kept as "es", the choice that the switch offers.
      convertDetectedLanguage: (tag) => tag.slice(0, 2),
    },
  });

/** Resolves when the texts of every first page are there. */
export const textsReady = loadTexts("shared").then(() => i18next.changeLanguage(currentLanguage()));
