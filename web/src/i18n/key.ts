import type { ParseKeys } from "i18next";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";

export type TextKey = ParseKeys;

/** Marks a string as a text key where no `t` is at hand, e.g. a validation message in a schema. */
export function key<const K extends TextKey>(name: K): K {
  return name;
}

/**
 * Turns what a form error holds into words: a key from our own schema is translated, and with it
 * follows a change of language; a text from the server is shown as it came.
 */
export function useMessage(): (message: string) => string {
  const { t, i18n } = useTranslation();
  return useCallback((message) => (isKey(message, i18n.exists) ? t(message) : message), [t, i18n]);
}

/** Whether it is the name of a text; the type stands for any key without placeholders. */
export function isKey(
  message: string,
  exists: (name: string) => boolean,
): message is "common.cancel" {
  return /^[a-z][\w-]*(\.[\w-]+)+$/i.test(message) && exists(message);
}
