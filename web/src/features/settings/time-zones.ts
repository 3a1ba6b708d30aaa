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

const plain = (text: string) => plainText(text).replaceAll(/[_/]/g, " ");

/**
 * The zones whose name contains every typed word, in any order: "chicago", "mexico amer", "mountain
 * time", "MST".
 */
export function searchZones(
  language: Language,
  zones: readonly string[],
  search: string,
): readonly string[] {
  const words = plain(search).split(/\s+/).filter(Boolean);
  if (words.length === 0) return zones;
  return zones.filter((zone) => {
    const text = searchText(language, zone);
    return words.every((word) => text.includes(word));
  });
}

/** Searchable texts. Formats of all zones take a noticeable time. */
const texts = new Map<string, string>();

function searchText(language: Language, zone: string): string {
  const cacheKey = `${language} ${zone}`;
  const known = texts.get(cacheKey);
  if (known !== undefined) return known;
  const names = [nameOf(locales[language], zone, "longGeneric"), nameOf("en-US", zone, "short")];
  const text = plain([zone, ...names].join(" "));
  texts.set(cacheKey, text);
  return text;
}

/** Such as "Mountain Time"; empty for a zone unknown to the browser. */
function nameOf(locale: string, timeZone: string, timeZoneName: "longGeneric" | "short"): string {
  try {
    const format = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName });
    return format.formatToParts().find(({ type }) => type === "timeZoneName")?.value ?? "";
  } catch {
    return "";
  }
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
