import { useEffect, useRef, type ReactNode } from "react";
import type { Control, FieldPath, FieldValues } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import { TextField } from "#/shared/form/fields/text-field";
import { passkeysKnown } from "#/shared/passkeys-known";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { CodeField } from "./code-field";
import type { AskedFactor, FactorKind } from "./factor";

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

interface FactorFieldsProps<Values extends FieldValues> {
  control: Control<Values>;
  names: { totp: FieldPath<Values>; recoveryCode: FieldPath<Values> };
  asked: AskedFactor;
  onChoose: (kind: FactorKind) => void;
}

/** Beside the password, in the same form: a code, a passkey or a recovery code, and the way to the others. */
export function FactorFields<Values extends FieldValues>({
  control,
  names,
  asked,
  onChoose,
}: FactorFieldsProps<Values>) {
  const { t } = useTranslation();
  const { chosen, kinds } = asked;
  const others = kinds.filter((kind) => kind !== chosen && (kind !== "passkey" || passkeysKnown()));
  return (
    <>
      <div role="status">
        <Notice>{t(askedText[chosen])}</Notice>
      </div>
      {chosen === "totp" && (
        <CodeField
          control={control}
          name={names.totp}
          label={t("auth.ownerLogin.totp")}
          hint={t("auth.ownerLogin.totpHint")}
        />
      )}
      {chosen === "recoveryCode" && (
        <Focused>
          <TextField
            control={control}
            name={names.recoveryCode}
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
            <Button key={kind} variant="quiet" size="small" onClick={() => onChoose(kind)}>
              {t(otherText[kind])}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}

/** Takes the focus when it appears, which is when it was asked for. */
function Focused({ children }: { children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.querySelector("input")?.focus(), []);
  return <div ref={frame}>{children}</div>;
}
