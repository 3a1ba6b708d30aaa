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

/** Those of most customers. Other zones have the same names, such as Cambridge Bay "Mountain Time". */
const usual = [
  "America/New_York",
  "America/Chicago",
  "America/Denver",
  "America/Phoenix",
  "America/Los_Angeles",
  "America/Mexico_City",
  "America/Monterrey",
  "America/Hermosillo",
  "America/Tijuana",
];

/**
 * The zones whose names contain every typed word, in any order: "chicago", "mexico amer", "mountain
 * time", "hora central", "MST". The usual ones come first.
 */
export function searchZones(zones: readonly string[], search: string): readonly string[] {
  const words = plain(search).split(/\s+/).filter(Boolean);
  if (words.length === 0) return zones;
  const found = zones.filter((zone) => {
    const text = searchText(zone);
    return words.every((word) => text.includes(word));
  });
  const rank = (zone: string) => (usual.includes(zone) ? usual.indexOf(zone) : usual.length);
  return found.toSorted((one, other) => rank(one) - rank(other));
}

/** Searchable texts. Formats of all zones take a noticeable time. */
const texts = new Map<string, string>();

function searchText(zone: string): string {
  const known = texts.get(zone);
  if (known !== undefined) return known;
  const names = [
    ...Object.values(locales).map((locale) => nameOf(locale, zone, "longGeneric")),
    nameOf("en-US", zone, "short"),
  ];
  const text = plain([zone, ...names].join(" "));
  texts.set(zone, text);
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
