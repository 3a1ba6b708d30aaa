import { beforeEach, describe, expect, it, vi } from "vitest";
import { changeLanguage, currentLanguage, languageStorageKey } from ".";
import { preferredLanguage } from "./stored-language";

function browserSpeaks(...languages: string[]) {
  vi.spyOn(navigator, "languages", "get").mockReturnValue(languages);
  vi.spyOn(navigator, "language", "get").mockReturnValue(languages[0] ?? "");
}

const stored = () => localStorage.getItem(languageStorageKey);

beforeEach(() => localStorage.clear());

describe("the language", () => {
  it.each([
    [["en-US"], "en"],
    [["es-MX"], "es"],
    [["es-419", "en"], "es"],
    [["fr-FR", "es-MX"], "es"],
    [["fr-FR", "de"], "en"],
    [[], "en"],
  ])("of a browser that speaks %j is %s, and is kept", async (speaks, language) => {
    browserSpeaks(...speaks);
    await changeLanguage(preferredLanguage());
    expect(currentLanguage()).toBe(language);
    expect(stored()).toBe(language);
    expect(document.documentElement.lang).toBe(language);
  });

  it("that was chosen goes before the browser's", async () => {
    browserSpeaks("en-US");
    await changeLanguage("es");
    expect(stored()).toBe("es");
    await changeLanguage(preferredLanguage());
    expect(currentLanguage()).toBe("es");
  });

  it.each(["fr", "x", "", "constructor", "<b>"])("stored as %j is not one", async (choice) => {
    browserSpeaks("es-MX");
    localStorage.setItem(languageStorageKey, choice);
    await changeLanguage(preferredLanguage());
    expect(currentLanguage()).toBe("es");
  });
});
