import { useState } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { rest } from "#/api/rest";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { PageLink } from "#/shared/ui/page-link";
import { AuthFrame, AuthLink } from "./auth-frame";

const verifiedSchema = v.object({ email: v.string() });

/** Verifies the address of a mailed link after a press, so that programs that open links don't. */
export function VerifyEmailPage() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const [secret] = useState(() => location.hash.slice(1));
  const [email, setEmail] = useState<string | null>(null);
  const verify = useSecretMutation({
    mutationFn: async (secret: string) => {
      const path = "/api/auth/verify-email";
      setEmail((await rest("POST", path, verifiedSchema, { body: { secret } })).email);
    },
  });
  const ended = secret === "" || (verify.error && toFailure(verify.error).status === 404);
  const title =
    email === null
      ? ended
        ? t("verify-email.ended")
        : t("verify-email.title")
      : t("verify-email.done");
  const text =
    email === null
      ? ended
        ? t("verify-email.endedText")
        : t("verify-email.text")
      : t("verify-email.doneText", { email });
  return (
    <AuthFrame
      title={title}
      subtitle={text}
      footer={
        <p>
          <AuthLink to="/login">{t("auth.ownerLogin.title")}</AuthLink>
        </p>
      }
    >
      {verify.error && !ended && (
        <div className="mb-4">
          <Notice tone="danger">{errorText(verify.error, "verify-email.failed")}</Notice>
        </div>
      )}
      {email === null && !ended ? (
        <Button
          variant="primary"
          wide
          onClick={() => verify.mutate(secret)}
          pending={verify.isPending}
          pendingLabel={t("verify-email.pending")}
        >
          {t("verify-email.submit")}
        </Button>
      ) : (
        <Button asChild wide>
          <PageLink to="/">{t("verify-email.continue")}</PageLink>
        </Button>
      )}
    </AuthFrame>
  );
}
