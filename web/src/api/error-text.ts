import i18next, { type TFunction } from "i18next";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "#/i18n";
import { isKey, key, type TextKey } from "#/i18n/key";
import { formatNumber } from "#/shared/format/format";
import { toFailure } from "./errors";
import type { Failure, Sentence } from "./failure";

/** Failures without a server response. */
const textByCode: Partial<Record<string, TextKey>> = {
  NETWORK: key("errors.network"),
  TIMEOUT: key("errors.timeout"),
};

/** The wait in seconds, minutes or hours; rounded up, so that the next attempt is not too early. */
function waitText(
  t: TFunction,
  seconds: number | null,
  texts: { soon: TextKey; seconds: TextKey; minutes: TextKey; hours: TextKey },
): string {
  // Shorter waits have passed once the sentence is read.
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

/** The client's text for the code, if there is one and all its values are present. */
export function sentenceText(t: TFunction, { code, params, text }: Sentence): string | null {
  const name = `refusals.${code}`;
  if (!isKey(name, i18next.exists)) return text;
  const wanted = t(name, { skipInterpolation: true }).matchAll(/\{\{(\w+)\}\}/g);
  const complete = [...wanted].every(([, param = ""]) => param in params);
  if (!complete) return text;
  const shown = Object.entries(params).map(([param, value]) => [param, localizedNumber(value)]);
  return t(name, { replace: Object.fromEntries(shown) });
}

/** "4811.7" as "4,811.7"; other values as they are. */
function localizedNumber(value: string): string {
  return /^\d{4,9}(\.\d+)?$/.test(value) ? formatNumber(currentLanguage(), Number(value)) : value;
}

/** The message under a field: a key if it has no values, so that it follows the language. */
export function fieldMessage(sentence: Sentence): string {
  const name = `refusals.${sentence.code}`;
  const plain = Object.keys(sentence.params).length === 0 && isKey(name, i18next.exists);
  return plain ? name : (sentenceText(i18next.t, sentence) ?? "");
}

/** The error as text: the client's by code, else the server's, else `fallback`. */
export function failureText(t: TFunction, failure: Failure, fallback: TextKey): string {
  const { code, status, retryAfter } = failure;
  if (status === 429) return waitText(t, retryAfter, tooMany);
  if (status === 503 && code !== "PAYMENT_PROVIDER") return waitText(t, retryAfter, unavailable);
  const own = textByCode[code ?? ""];
  return own ? t(own) : (sentenceText(t, failure.said) ?? t(fallback));
}

export function useErrorText(): (error: unknown, fallback?: TextKey) => string {
  const { t } = useTranslation();
  return useCallback(
    (error, fallback = "errors.server") => failureText(t, toFailure(error), fallback),
    [t],
  );
}
