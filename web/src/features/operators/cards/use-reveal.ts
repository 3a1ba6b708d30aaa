import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { loadAllLanguages } from "#/i18n";
import { AccountsService, type Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { toast } from "#/shared/toast/store";

/** What is printed on the cards. */
export interface CardSecrets {
  /** Empty if no card needs it. */
  password: string;
  /** One-time codes by operator. */
  codes: ReadonlyMap<string, string>;
}

/**
 * Holds the operator password and one-time codes in plain text while the component is mounted. They
 * are fetched without a query or mutation, whose caches would keep them.
 */
export function useReveal() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useReauthTransport();
  const [secrets, setSecrets] = useState<CardSecrets | null>(null);
  const [pending, setPending] = useState(false);
  // Covers the time between a press and the next render.
  const running = useRef(false);

  const reportFailure = (error: unknown) => {
    if (error instanceof ReauthCancelled) return;
    const noneIsSet = toFailure(error).status === 409;
    toast.failure(
      t("operators.cards.cannot"),
      noneIsSet ? t("operators.cards.cannotText") : errorText(error),
    );
  };

  const reveal = async (operators: readonly Employee[]) => {
    if (running.current) return;
    running.current = true;
    setPending(true);
    try {
      const { revealOperatorPassword } = AccountsService.method;
      const needsPassword = operators.some((operator) => !operator.hasPersonalPassword);
      // Cards are in all languages.
      const [, answer] = await Promise.all([
        loadAllLanguages(),
        needsPassword ? callUnaryMethod(transport, revealOperatorPassword, {}) : null,
      ]);
      const codes = await createCodes(transport, operators);
      setSecrets({ password: answer?.operatorPassword ?? "", codes });
    } catch (error) {
      reportFailure(error);
    } finally {
      running.current = false;
      setPending(false);
    }
  };
  return {
    secrets,
    pending,
    reveal: (operators: readonly Employee[]) => void reveal(operators),
  };
}

const mostCodes = 500;

async function createCodes(transport: Transport, operators: readonly Employee[]) {
  const codes = new Map<string, string>();
  for (let at = 0; at < operators.length; at += mostCodes) {
    const operatorIds = operators.slice(at, at + mostCodes).map(({ id }) => id);
    const { createCardCodes } = AccountsService.method;
    const created = await callUnaryMethod(transport, createCardCodes, { operatorIds });
    for (const { operatorId, code } of created.codes) codes.set(operatorId, code);
  }
  return codes;
}
