import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { restVoid } from "#/api/rest";
import { key } from "#/i18n/key";
import { useSession } from "#/session/session";
import { useDocumentTitle } from "#/shared/document-title";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { AuthFrame, AuthLink } from "./auth-frame";

const digest = {
  query: "",
  title: key("digest.stop.title"),
  text: key("digest.stop.text"),
  submit: key("digest.stop.submit"),
  done: key("digest.stop.done"),
  doneText: key("digest.stop.doneText"),
  endedText: key("digest.stop.endedText"),
  page: "/profile",
  link: key("digest.stop.profile"),
  failed: key("digest.stop.failed"),
} as const;

const flagged = {
  query: "?mail=flagged",
  title: key("digest.stopFlagged.title"),
  text: key("digest.stopFlagged.text"),
  submit: key("digest.stopFlagged.submit"),
  done: key("digest.stopFlagged.done"),
  doneText: key("digest.stopFlagged.doneText"),
  endedText: key("digest.stopFlagged.endedText"),
  page: "/notifications",
  link: key("digest.stopFlagged.notifications"),
  failed: key("digest.stopFlagged.failed"),
} as const;

/** Stops the mail of a mailed link after a press, so that programs that open links don't. */
export function UnsubscribePage({ mail }: { mail: "flagged" | undefined }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const isSignedIn = useSession() !== null;
  const kind = mail === "flagged" ? flagged : digest;
  useDocumentTitle(t(kind.title));
  const [secret] = useState(() => location.hash.slice(1));
  const stop = useSecretMutation({
    mutationFn: (given: string) =>
      restVoid("POST", `/api/unsubscribe/${encodeURIComponent(given)}${kind.query}`),
  });
  const ended = secret === "" || (stop.error !== null && toFailure(stop.error).status === 404);
  const [title, text] = ended
    ? [t("verify-email.ended"), t(kind.endedText)]
    : stop.isSuccess
      ? [t(kind.done), t(kind.doneText)]
      : [t(kind.title), t(kind.text)];
  return (
    <AuthFrame
      title={title}
      subtitle={text}
      footer={
        <p>
          {isSignedIn ? (
            <AuthLink to={kind.page}>{t(kind.link)}</AuthLink>
          ) : (
            <AuthLink to="/login">{t("auth.ownerLogin.title")}</AuthLink>
          )}
        </p>
      }
    >
      {stop.error && !ended && (
        <div className="mb-4">
          <Notice tone="danger">{errorText(stop.error, kind.failed)}</Notice>
        </div>
      )}
      {!ended && !stop.isSuccess && (
        <Button
          variant="primary"
          wide
          onClick={() => stop.mutate(secret)}
          pending={stop.isPending}
          pendingLabel={t("digest.stop.pending")}
        >
          {t(kind.submit)}
        </Button>
      )}
    </AuthFrame>
  );
}
