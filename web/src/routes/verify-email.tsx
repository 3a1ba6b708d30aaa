import { createFileRoute } from "@tanstack/react-router";
import { VerifyEmailPage } from "#/features/auth/verify-email-page";
import { loadTexts } from "#/i18n";
import { key } from "#/i18n/key";

/** For everyone: the mail may be read where its person is not signed in. */
export const Route = createFileRoute("/verify-email")({
  staticData: { title: key("verify-email.title"), bare: true },
  loader: () => loadTexts("visitor", "security"),
  component: VerifyEmailPage,
});
