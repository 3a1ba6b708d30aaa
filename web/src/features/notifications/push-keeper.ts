import { useTransport } from "@connectrpc/connect-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "#/i18n";
import { useSession } from "#/session/session";
import { useSessionEnded } from "#/session/state";
import { isPushSupported, keepPush } from "./push";

/** Adds this browser's subscription to each new session, in the language of the screen. */
export function PushKeeper(): null {
  // It follows the language.
  useTranslation();
  const language = currentLanguage();
  const userId = useSession()?.id;
  const ended = useSessionEnded();
  const transport = useTransport();
  useEffect(() => {
    if (userId === undefined || !isPushSupported()) return;
    // The next visit repeats it after a failure.
    keepPush(transport, userId, ended ? null : language).catch(() => undefined);
  }, [transport, userId, ended, language]);
  return null;
}
