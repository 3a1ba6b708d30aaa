import type { ParseKeys } from "i18next";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";

export type TextKey = ParseKeys;

/** Marks a string as a text key outside of `t`, e.g. a validation message in a schema. */
export function key<const K extends TextKey>(name: K): K {
  return name;
}

/**
 * The text of a form error: a key from our schema is translated, so it follows a change of
 * language; a text from the server is shown unchanged.
 */
export function useMessage(): (message: string) => string {
  const { t, i18n } = useTranslation();
  return useCallback((message) => (isKey(message, i18n.exists) ? t(message) : message), [t, i18n]);
}

/** Whether it is the key of a text without placeholders. */
export function isKey(
  message: string,
  exists: (name: string) => boolean,
): message is "common.cancel" {
  return /^[a-z][\w-]*(\.[\w-]+)+$/i.test(message) && exists(message);
}
