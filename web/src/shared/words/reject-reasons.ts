import i18next from "i18next";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { languages } from "#/i18n";
import { key } from "#/i18n/key";

/** Suggested reasons. */
export const rejectReasons = [
  key("updates.rejectReasons.wrongMachine"),
  key("updates.rejectReasons.typingError"),
  key("updates.rejectReasons.duplicate"),
  key("updates.rejectReasons.machineGone"),
] as const;

/** Translates a suggested reason from either language; returns other reasons unchanged. */
export function useReasonText(): (reason: string) => string {
  const { t } = useTranslation();
  return useCallback(
    (reason) => {
      const suggested = rejectReasons.find((each) =>
        languages.some((language) => i18next.getFixedT(language)(each) === reason.trim()),
      );
      return suggested ? t(suggested) : reason;
    },
    [t],
  );
}
