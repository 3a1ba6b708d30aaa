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
  SECOND_FACTOR_REQUIRED: key("errors.secondFactorRequired"),
  STALE: key("errors.stale"),
  PAYMENT_PROVIDER: key("errors.paymentProvider"),
};

/** How long to wait, in the unit a person would name; rounded up, so that the next try is not too soon. */
function waitText(
  t: TFunction,
  seconds: number | null,
  texts: { soon: TextKey; seconds: TextKey; minutes: TextKey; hours: TextKey },
): string {
  // Below some seconds the time to read the sentence is the wait.
  if (seconds === null || seconds <= 3) return t(texts.soon);
  if (seconds < 120) return t(texts.seconds, { count: seconds });
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return t(texts.minutes, { count: minutes });
  return t(texts.hours, { count: Math.ceil(minutes / 60) });
}

const tooMany = {
  soon: key("errors.tooMany"),
  seconds: key("errors.tooManySeconds"),
  minutes: key("errors.tooManyMinutes"),
  hours: key("errors.tooManyHours"),
};
const unavailable = {
  soon: key("errors.unavailable"),
  seconds: key("errors.unavailableSeconds"),
  minutes: key("errors.unavailableMinutes"),
  hours: key("errors.unavailableHours"),
};

/** What went wrong in words: by code, else by known sentence, else the server's text, else `fallback`. */
export function failureText(t: TFunction, failure: Failure, fallback: TextKey): string {
  const known = textByCode[failure.code ?? ""] ?? serverTextKey(failure.message);
  if (known) return t(known);
  if (failure.status === 429) return waitText(t, failure.retryAfter, tooMany);
  if (failure.status === 503) return waitText(t, failure.retryAfter, unavailable);
  return failure.message ?? t(fallback);
}

export function useErrorText(): (error: unknown, fallback?: TextKey) => string {
  const { t } = useTranslation();
  return useCallback(
    (error, fallback = "errors.server") => failureText(t, toFailure(error), fallback),
    [t],
  );
}
