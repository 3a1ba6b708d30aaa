export const languages = ["en", "es"] as const;
export type Language = (typeof languages)[number];

/** The key of the chosen language in local storage, and the name of the cookie that the gateway reads. */
export const languageStorageKey = "language";

export function isLanguage(value: unknown): value is Language {
  return languages.some((language) => language === value);
}
