import { useState } from "react";
import { useFormat } from "#/shared/format/use-format";

const dayMs = 24 * 60 * 60 * 1000;

/** The date after the typed number of days, once it is valid. */
export function useDaysHint(
  days: number | null,
  texts: { none: string; until: (date: string) => string },
): string {
  const format = useFormat();
  const [now] = useState(Date.now);
  return days === null ? texts.none : texts.until(format.instantDay(new Date(now + days * dayMs)));
}
