import { createFileRoute } from "@tanstack/react-router";
import { OwnPasswordPage } from "#/features/profile/own-password-page";
import { loadTexts } from "#/i18n";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_staff/password")({
  staticData: { title: key("shell.titles.password") },
  loader: () => loadTexts("office", "person", "profile"),
  component: OwnPasswordPage,
});
