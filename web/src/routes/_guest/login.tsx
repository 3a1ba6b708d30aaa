import { createFileRoute } from "@tanstack/react-router";
import { OwnerLoginPage } from "#/features/auth/owner-login-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_guest/login")({
  staticData: { title: key("shell.titles.ownerLogin") },
  component: OwnerLoginPage,
});
