import { createFileRoute } from "@tanstack/react-router";
import { OperatorLoginPage } from "#/features/auth/operator-login-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_guest/employee-login")({
  staticData: { title: key("shell.titles.operatorLogin") },
  component: OperatorLoginPage,
});
