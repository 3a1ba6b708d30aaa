import type { TFunction } from "i18next";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";

/** The server's reasons to look twice, in words; one it learns later still says that there is one. */
export function useFlagTexts(): (update: OperatorUpdate) => string[] {
  const { t } = useTranslation();
  return useCallback((update) => [...new Set(flagsOf(update).map((flag) => text(t, flag)))], [t]);
}

function flagsOf({ flags, belowCurrent }: OperatorUpdate): string[] {
  return belowCurrent && !flags.includes("below_meter") ? ["below_meter", ...flags] : flags;
}

function text(t: TFunction, flag: string): string {
  switch (flag) {
    case "below_meter":
      return t("updates.flags.belowMeter");
    case "jump":
      return t("updates.flags.jump");
    case "fuel_high":
      return t("updates.flags.fuelHigh");
    case "repeated":
      return t("updates.flags.repeated");
    default:
      return t("updates.flags.other");
  }
}
