import { createFileRoute } from "@tanstack/react-router";
import { ForgotPasswordPage } from "#/features/auth/forgot-password-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_guest/forgot-password")({
  staticData: { title: key("shell.titles.forgotPassword") },
  component: ForgotPasswordPage,
});
