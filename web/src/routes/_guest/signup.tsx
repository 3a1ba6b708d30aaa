import { createFileRoute } from "@tanstack/react-router";
import { SignupPage } from "#/features/auth/signup-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_guest/signup")({
  staticData: { title: key("shell.titles.signup") },
  component: SignupPage,
});
