import { create, toJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { AuditEvent } from "#/api/gen/hourmeter/common/v1/audit_pb";
import { dayIn } from "#/domain/calendar";
import { isLanguage } from "#/i18n";

const locales = { en: "en-US", es: "es-US" };

/** The instant as RFC 3339 in UTC with full precision. */
export function instantOf({ at }: AuditEvent): string {
  return toJson(TimestampSchema, at ?? create(TimestampSchema));
}

/** Instants in the company's time zone, which may differ from the reader's. */
export function useZonedTime(zone: string) {
  const { i18n } = useTranslation();
  const language = isLanguage(i18n.resolvedLanguage) ? i18n.resolvedLanguage : "en";
  return useMemo(() => zonedTime(locales[language], zone), [language, zone]);
}

export function zonedTime(locale: string, zone: string) {
  const timeZone = knownZone(zone);
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone });
  const day = format({ year: "numeric", month: "short", day: "numeric" });
  const time = format({
    hour: "numeric",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  });
  const exact = format({ dateStyle: "full", timeStyle: "long" });
  const clock = format({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  return {
    day: (at: string) => day.format(new Date(at)),
    time: (at: string) => time.format(new Date(at)),
    /** With weekday and zone. */
    exact: (at: string) => exact.format(new Date(at)),
    /** "2026-11-20 08:15:07": spreadsheets in every language parse and sort it. */
    sortable: (at: string) => `${dayIn(timeZone, new Date(at))} ${clock.format(new Date(at))}`,
  };
}

/** A browser may lack a zone of the server's newer list. */
function knownZone(zone: string): string {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
}
