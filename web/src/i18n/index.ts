import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import type { Area } from "./areas";
import { isLanguage, languages, languageStorageKey, type Language } from "./languages";
import { preferredLanguage, storeLanguage } from "./stored-language";

export { isLanguage, languages, languageStorageKey, type Language };

const files = import.meta.glob<Record<string, object>>("./texts/*.ts", { import: "default" });
const namespace = "translation";

/** The loaded areas. */
const inUse = new Set<Area>();
const loaded = new Set<string>();

async function addTexts(language: Language, area: Area): Promise<void> {
  const name = `./texts/texts-${area}-${language}.ts`;
  if (loaded.has(name)) return;
  const load = files[name];
  if (!load) throw new Error(`${name} does not exist; run npm run gen`);
  const texts = await load();
  loaded.add(name);
  i18next.addResourceBundle(language, namespace, texts, true, true);
}

/** Loads the texts of these areas; a later change of language includes them. */
export async function loadTexts(...wanted: Area[]): Promise<void> {
  for (const area of wanted) inUse.add(area);
  await Promise.all(wanted.map((area) => addTexts(currentLanguage(), area)));
}

/** Loads the texts of refusals; without them the server's own texts are shown. */
export function loadRefusals(): Promise<void> {
  return loadTexts("refusals").catch(() => undefined);
}

/** Loads all used areas in all languages, so that the language can change offline. */
export async function loadAllLanguages(): Promise<void> {
  await Promise.all(
    languages.flatMap((language) => [...inUse].map((area) => addTexts(language, area))),
  );
}

export function currentLanguage(): Language {
  // The resolved language is known once texts are loaded.
  const language = i18next.resolvedLanguage ?? i18next.language;
  return isLanguage(language) ? language : "en";
}

export async function changeLanguage(language: Language): Promise<void> {
  await Promise.all([...inUse].map((area) => addTexts(language, area)));
  await i18next.changeLanguage(language);
}

i18next.on("languageChanged", (language) => {
  if (isLanguage(language)) storeLanguage(language);
  document.documentElement.lang = currentLanguage();
});

void i18next.use(initReactI18next).init({
  resources: {},
  lng: preferredLanguage(),
  supportedLngs: languages,
  fallbackLng: "en",
  initAsync: false,
  returnNull: false,
  interpolation: { escapeValue: false },
});

/** Resolves when the texts of the first page are loaded. */
export const textsReady = loadTexts("shared").then(() => i18next.changeLanguage(currentLanguage()));
