import { useState } from "react";
import { useTranslation } from "react-i18next";
import { supportEmail } from "#/shared/support-email";
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
        <>
          <p>
            {t("auth.forgot.remembered")}{" "}
            <AuthLink to="/login">{t("auth.ownerLogin.title")}</AuthLink>
          </p>
          <NoAnswers />
        </>
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

/** The ways back in without security questions. */
function NoAnswers() {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="no-answers" className="pt-2 text-left text-sm">
      <h2 id="no-answers" className="font-semibold text-ink">
        {t("auth.forgot.noAnswers")}
      </h2>
      <ul className="mt-1 list-disc space-y-1 pl-5">
        <li>{t("auth.forgot.byMail")}</li>
        <li>{t("auth.forgot.manager")}</li>
        <li>
          {supportEmail ? (
            t("auth.forgot.owner", { address: supportEmail })
          ) : (
            <a href="/#contact" className="text-accent underline">
              {t("auth.forgot.ownerNoAddress")}
            </a>
          )}
        </li>
      </ul>
    </section>
  );
}
