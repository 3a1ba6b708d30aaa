import type { FieldPath, PathValue, UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { key } from "#/i18n/key";
import { toast } from "#/shared/toast/store";
import type { AskedFactor, FactorValues } from "./factor";

const wrongCode = key("auth.ownerLogin.totpWrong");
const wrongRecovery = key("auth.factor.recoveryWrong");

/** Says under its field that a second factor was wrong, and clears it: each works once. */
export function useFactorRefusal() {
  const { t } = useTranslation();
  return <Values extends FactorValues>(
    form: UseFormReturn<Values>,
    asked: AskedFactor | null,
    title: string,
  ): void => {
    if (asked === null || asked.chosen === "passkey") {
      toast.failure(title, t("auth.factor.passkeyWrong"));
      return;
    }
    const message = asked.chosen === "totp" ? wrongCode : wrongRecovery;
    toast.failure(title, t(message));
    const name = asked.chosen as FieldPath<Values>;
    form.setValue(name, "" as PathValue<Values, FieldPath<Values>>);
    form.setError(name, { type: "server", message }, { shouldFocus: true });
  };
}
