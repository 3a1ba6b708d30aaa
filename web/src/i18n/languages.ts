export const languages = ["en", "es"] as const;
export type Language = (typeof languages)[number];

/** The local storage key of the language, and the cookie that the gateway reads. */
export const languageStorageKey = "language";

export function isLanguage(value: unknown): value is Language {
  return languages.some((language) => language === value);
}
