import * as v from "valibot";
import { readDate } from "#/domain/calendar";
import { key, type TextKey } from "#/i18n/key";
import { hasPointGroups, hasTooManyDecimals, parseDecimal } from "#/shared/form/decimal";

export const largest = 1_000_000_000;

export const isSmallEnough = (text: string) => (parseDecimal(text) ?? 0) <= largest;

/** Empty, or a number of at least `min` with at most two decimals; `message` is for a lower one. */
export function quantity(message: TextKey, min = 0) {
  return v.pipe(
    v.string(),
    v.check((text) => !hasTooManyDecimals(text), key("equipment-form.fields.twoDecimals")),
    v.check(
      (text) => text.trim() === "" || hasPointGroups(text) || (parseDecimal(text) ?? -1) >= min,
      message,
    ),
    v.check(isSmallEnough, key("equipment-form.fields.tooLarge")),
  );
}

const withoutDollar = (text: string) => text.replace(/^\s*\$/, "");

/** Parses a typed amount, also with a dollar sign: "$1,250.75". Null if it is invalid. */
export const parseMoney = (text: string) => parseDecimal(withoutDollar(text));

/** Empty, or an amount of 0 or more with at most two decimals. */
export function isMoney(text: string): boolean {
  if (text.trim() === "") return true;
  const value = parseMoney(text);
  return (
    value !== null && value >= 0 && value <= largest && !hasTooManyDecimals(withoutDollar(text))
  );
}

/** Empty, or an existing date up to today. */
export function pastDay(today: string) {
  return v.pipe(
    v.string(),
    v.check(
      (date) => date === "" || readDate(date) !== null,
      key("equipment-form.fields.dateInvalid"),
    ),
    v.check((date) => date === "" || date <= today, key("equipment-detail.tasks.future")),
  );
}
