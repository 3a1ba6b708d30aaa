import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import { toast } from "#/shared/toast/store";
import type { AskedFactor, FactorValues } from "./factor";

/**
 * Tells that a second factor was wrong. `refuse` says so under the field and clears it, since each
 * works once; a passkey has no field.
 */
export function useFactorRefusal() {
  const { t } = useTranslation();
  return (
    asked: AskedFactor | null,
    title: string,
    refuse: (field: keyof FactorValues, message: TextKey) => void,
  ): void => {
    if (asked === null || asked.chosen === "passkey") {
      toast.failure(title, t("second-factor.signIn.passkeyWrong"));
      return;
    }
    const message =
      asked.chosen === "totp"
        ? key("auth.ownerLogin.totpWrong")
        : key("second-factor.signIn.recoveryWrong");
    toast.failure(title, t(message));
    refuse(asked.chosen, message);
  };
}
