import { plainText } from "#/domain/names";
import type { Language } from "#/i18n";

const locales: Record<Language, string> = { en: "en-US", es: "es-US" };

/** All zones of the browser, plus UTC, which some omit, and the current one. */
export function timeZones(current: string): string[] {
  return [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), current])]
    .filter((zone) => zone !== "")
    .toSorted();
}

/** "America/Argentina/Buenos_Aires" -> "America / Argentina / Buenos Aires" */
export function zoneLabel(zone: string): string {
  return zone.replaceAll("_", " ").replaceAll("/", " / ");
}

/** The zones whose name contains every typed word, in any order: "chicago", "mexico amer". */
export function searchZones(zones: readonly string[], search: string): readonly string[] {
  const plain = (text: string) => plainText(text).replaceAll(/[_/]/g, " ");
  const words = plain(search).split(/\s+/).filter(Boolean);
  return zones.filter((zone) => words.every((word) => plain(zone).includes(word)));
}

/** "Sat 7:21 PM" in the zone; null for a zone unknown to the browser. */
export function timeIn(language: Language, zone: string, now: Date): string | null {
  try {
    return new Intl.DateTimeFormat(locales[language], {
      timeZone: zone,
      weekday: "short",
      hour: "numeric",
      minute: "2-digit",
    }).format(now);
  } catch {
    return null;
  }
}
