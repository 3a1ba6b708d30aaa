import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { ReauthCancelled } from "#/session/reauth";
import type { TextKey } from "#/i18n/key";

/** The reason of a refusal; null if the password confirmation was canceled. */
export function useStaffRefusal(
  error: Error | null,
  texts: {
    /** The action is not possible in the subscription's present state. */
    state: string;
    failed: TextKey;
  },
): string | null {
  const { t } = useTranslation();
  const errorText = useErrorText();
  if (!error || error instanceof ReauthCancelled) return null;
  const { status, code } = toFailure(error);
  if (status === 404) return t("admin-accounts.limit.notMet");
  if (code === "SUBSCRIPTION_STATE") return texts.state;
  return errorText(error, texts.failed);
}
