import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import { TextInput } from "#/shared/form/inputs/text-input";
import { passkeysKnown } from "#/shared/passkeys-known";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import type { AskedFactor, FactorKind } from "./factor";
import { Focused } from "./focused";
import type { SignInForm } from "./use-sign-in";

const askedText: Record<FactorKind, TextKey> = {
  totp: key("auth.ownerLogin.totpAsked"),
  passkey: key("auth.factor.passkeyAsked"),
  recoveryCode: key("auth.factor.recoveryAsked"),
};

const otherText: Record<FactorKind, TextKey> = {
  totp: key("auth.factor.useCode"),
  passkey: key("auth.factor.usePasskey"),
  recoveryCode: key("auth.factor.useRecovery"),
};

/**
 * The second factor in the sign-in form: a code, a passkey or a recovery code, and links to the
 * others.
 */
export function FactorFields({ form, asked }: { form: SignInForm; asked: AskedFactor }) {
  const { t } = useTranslation();
  const { chosen, kinds } = asked;
  const others = kinds.filter((kind) => kind !== chosen && (kind !== "passkey" || passkeysKnown()));
  return (
    <>
      <div role="status">
        <Notice>{t(askedText[chosen])}</Notice>
      </div>
      {chosen === "totp" && (
        <Focused>
          <TextInput
            {...form.text("totp")}
            label={t("auth.ownerLogin.totp")}
            hint={t("auth.ownerLogin.totpHint")}
            inputMode="numeric"
            autoComplete="one-time-code"
            // Some apps show the code in two groups, so a copied code contains a space.
            maxLength={9}
            mono
            className="text-lg tracking-[0.3em]"
          />
        </Focused>
      )}
      {chosen === "recoveryCode" && (
        <Focused>
          <TextInput
            {...form.text("recoveryCode")}
            label={t("auth.factor.recovery")}
            hint={t("auth.factor.recoveryHint")}
            maxLength={40}
            mono
            plain
          />
        </Focused>
      )}
      {others.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {others.map((kind) => (
            <Button key={kind} variant="quiet" size="small" onClick={() => form.choose(kind)}>
              {t(otherText[kind])}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}
