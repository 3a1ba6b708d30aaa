import { callUnaryMethod } from "@connectrpc/connect-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { loadAllLanguages } from "#/i18n";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { toast } from "#/shared/toast/store";

/**
 * Holds the operator password in plain text while the component is mounted. It is fetched without a
 * query or mutation, whose caches would keep it.
 */
export function useReveal() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useReauthTransport();
  const [password, setPassword] = useState<string | null>(null);
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

  const reveal = async (needsPassword: boolean) => {
    if (running.current) return;
    running.current = true;
    setPending(true);
    try {
      const { revealOperatorPassword } = AccountsService.method;
      // Cards are in all languages.
      const [, answer] = await Promise.all([
        loadAllLanguages(),
        needsPassword ? callUnaryMethod(transport, revealOperatorPassword, {}) : null,
      ]);
      setPassword(answer?.operatorPassword ?? "");
    } catch (error) {
      reportFailure(error);
    } finally {
      running.current = false;
      setPending(false);
    }
  };
  return { password, pending, reveal: (needsPassword: boolean) => void reveal(needsPassword) };
}
