import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AuthFrame, AuthLink } from "./auth-frame";
import type { Recovery } from "./calls";
import { FindAccountForm } from "./find-account-form";
import { ResetPasswordForm } from "./reset-password-form";

/** Two steps: the account, then the answers and a new password. */
export function ForgotPasswordPage() {
  const { t } = useTranslation();
  const [recovery, setRecovery] = useState<Recovery | null>(null);
  // Going back clears the second step and keeps the name for correction.
  const [lastName, setLastName] = useState("");
  return (
    <AuthFrame
      title={t("auth.forgot.title")}
      subtitle={recovery ? t("auth.forgot.step2") : t("auth.forgot.step1")}
      footer={
        <p>
          {t("auth.forgot.remembered")}{" "}
          <AuthLink to="/login">{t("auth.ownerLogin.title")}</AuthLink>
        </p>
      }
    >
      {recovery ? (
        <ResetPasswordForm
          recovery={recovery}
          onBack={() => {
            setLastName(recovery.emailOrBusinessName);
            setRecovery(null);
          }}
        />
      ) : (
        <FindAccountForm name={lastName} onFound={setRecovery} />
      )}
    </AuthFrame>
  );
}
