import type { TFunction } from "i18next";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import { toFailure } from "./errors";
import type { Failure } from "./failure";
import { serverTextKey } from "./server-texts";

/** Refusals that the client words itself, in both languages. */
const textByCode: Partial<Record<string, TextKey>> = {
  NETWORK: key("errors.network"),
  TIMEOUT: key("errors.timeout"),
  SUBSCRIPTION_INACTIVE: key("errors.subscriptionInactive"),
  EQUIPMENT_LIMIT_REACHED: key("errors.equipmentLimit"),
  FEATURE_NOT_IN_PLAN: key("errors.featureNotInPlan"),
  REAUTH_REQUIRED: key("errors.reauthRequired"),
  STALE: key("errors.stale"),
};

/** What went wrong in words: by code, else by known sentence, else the server's text, else `fallback`. */
export function failureText(t: TFunction, failure: Failure, fallback: TextKey): string {
  const known = textByCode[failure.code ?? ""] ?? serverTextKey(failure.message);
  if (known) return t(known);
  if (failure.status === 429) return t("errors.tooMany");
  if (failure.status === 503) return t("errors.unavailable");
  return failure.message ?? t(fallback);
}

export function useErrorText(): (error: unknown, fallback?: TextKey) => string {
  const { t } = useTranslation();
  return useCallback(
    (error, fallback = "errors.server") => failureText(t, toFailure(error), fallback),
    [t],
  );
}
