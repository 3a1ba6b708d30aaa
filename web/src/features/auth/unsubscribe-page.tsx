import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { restVoid } from "#/api/rest";
import { useSession } from "#/session/session";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { AuthFrame, AuthLink } from "./auth-frame";

/** Stops the digest of a mailed link after a press, so that programs that open links don't. */
export function UnsubscribePage() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const isSignedIn = useSession() !== null;
  const [key] = useState(() => location.hash.slice(1));
  const stop = useSecretMutation({
    mutationFn: (key: string) => restVoid("POST", `/api/unsubscribe/${encodeURIComponent(key)}`),
  });
  const ended = key === "" || (stop.error !== null && toFailure(stop.error).status === 404);
  const [title, text] = ended
    ? [t("verify-email.ended"), t("digest.stop.endedText")]
    : stop.isSuccess
      ? [t("digest.stop.done"), t("digest.stop.doneText")]
      : [t("digest.stop.title"), t("digest.stop.text")];
  return (
    <AuthFrame
      title={title}
      subtitle={text}
      footer={
        <p>
          {isSignedIn ? (
            <AuthLink to="/profile">{t("digest.stop.profile")}</AuthLink>
          ) : (
            <AuthLink to="/login">{t("auth.ownerLogin.title")}</AuthLink>
          )}
        </p>
      }
    >
      {stop.error && !ended && (
        <div className="mb-4">
          <Notice tone="danger">{errorText(stop.error, "digest.stop.failed")}</Notice>
        </div>
      )}
      {!ended && !stop.isSuccess && (
        <Button
          variant="primary"
          wide
          onClick={() => stop.mutate(key)}
          pending={stop.isPending}
          pendingLabel={t("digest.stop.pending")}
        >
          {t("digest.stop.submit")}
        </Button>
      )}
    </AuthFrame>
  );
}
