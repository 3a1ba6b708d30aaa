import { createFileRoute } from "@tanstack/react-router";
import { NewPasswordPage } from "#/features/auth/new-password-page";
import { loadTexts } from "#/i18n";
import { key } from "#/i18n/key";

/** For everyone: the mail may be read where someone else is signed in. */
export const Route = createFileRoute("/new-password")({
  staticData: { title: key("auth.forgot.newPassword"), bare: true },
  loader: () => loadTexts("visitor", "security"),
  component: NewPasswordPage,
});
